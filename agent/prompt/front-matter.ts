import { errorMessage } from "../protocol/errors.ts";

/** A Markdown file in its two parts. */
export interface MarkdownParts {
  /** YAML between the two lines of dashes that a file may begin with. */
  header: string | undefined;
  /** The text after it, trimmed. */
  body: string;
}

/** The fields of a header, unchecked, and what is wrong with it. */
export interface Header {
  fields: unknown;
  problem?: string;
}

/** A header of more UTF-16 units than this is taken for something else. */
const MAX_HEADER_LENGTH = 16_384;

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\n)?---[ \t]*(?:\r?\n|$)/;
const PLAIN_FIELD = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/;

/** Takes the header off a Markdown text. A header without an end is part of the body. */
export function splitFrontMatter(text: string): MarkdownParts {
  const whole = text.replace(/^\uFEFF/, "");
  const match = FRONT_MATTER.exec(whole);
  if (match === null) return { header: undefined, body: whole.trim() };
  return { header: match[1] ?? "", body: whole.slice(match[0].length).trim() };
}

/** Reads a header. One that is no YAML is read line by line instead, each `name: text` for itself. */
export async function readHeader(header: string | undefined): Promise<Header> {
  if (header === undefined || header.trim() === "") return { fields: {} };
  if (header.length > MAX_HEADER_LENGTH) {
    return { fields: {}, problem: `its front matter is longer than ${MAX_HEADER_LENGTH} characters and is ignored` };
  }
  const { default: yaml } = await import("yaml");
  try {
    const document = yaml.parseDocument(header, { logLevel: "silent", prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return { fields: document.toJS() ?? {} };
  } catch (error) {
    const reason = errorMessage(error).split("\n", 1)[0];
    return {
      fields: readPlainFields(header),
      problem: `its front matter isn't valid YAML, so it's read line by line (${reason})`,
    };
  }
}

function readPlainFields(header: string): Record<string, string> {
  const fields: [string, string][] = [];
  for (const line of header.split("\n")) {
    const [, name, value] = PLAIN_FIELD.exec(line.trimEnd()) ?? [];
    if (name !== undefined && value !== undefined) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}
