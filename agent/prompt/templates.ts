import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import { readHeader, splitFrontMatter } from "./front-matter.ts";
import type { OwnTemplate } from "./own-templates.ts";
import { findMarkdownFiles, nameOfMarkdown, readMarkdown, rememberByFile, type Warn } from "./resource-files.ts";
import type { Place } from "./resource-places.ts";
import { findInPlaces, HeaderText, keepFirst, type Resource } from "./resources.ts";
import { fillTemplate, splitArguments } from "./template-text.ts";

/** A prompt that is kept in a file and called by the file's name. */
export interface Template extends Resource {
  /** A hint for its arguments; empty if its author gives none. */
  argumentHint: string;
}

/** A template in a file, or one of the agent's own, whose `path` isn't a file. */
export type ListedTemplate = Template | (Omit<Template, "place"> & { place: "bundled" });

/** The prompt templates as they are on the disk at the time of each call. */
export interface Templates {
  list(): Promise<ListedTemplate[]>;
  /** @returns the filled template; undefined when none has this name or its file cannot be read. */
  expand(name: string, argumentText: string): Promise<string | undefined>;
}

const MAX_TEMPLATES = 500;
const MAX_DESCRIPTION_LENGTH = 60;

const TemplateHeader = z.object({ description: HeaderText, "argument-hint": HeaderText }).catch({
  description: "",
  "argument-hint": "",
});

/** Templates of some places, as they are at the time of each look; the first of a name wins, and any wins over the agent's `own`. */
export function createTemplates(places: () => readonly Place[], own: readonly OwnTemplate[], warn: Warn): Templates {
  const describeAll = rememberByFile((path) => describe(path, warn));
  const find = async () => {
    const files = await findInPlaces(places(), { kind: "prompt template", find: findMarkdownFiles, warn });
    const named = files.map((file) => ({ ...file, name: nameOfMarkdown(file.path) }));
    const callable = named.filter(({ name, path }) => {
      if (!/\s/.test(name)) return true;
      warn(`${path} is ignored because the name of a prompt template can't contain spaces.`);
      return false;
    });
    return keepFirst(callable, { kind: "prompt template", max: MAX_TEMPLATES, warn });
  };
  return {
    async list() {
      const files = await find();
      const texts = await describeAll(files.map(({ path }) => path));
      const found = files.flatMap((file, index) => {
        const text = texts[index];
        return text === undefined ? [] : [{ ...file, ...text }];
      });
      return [...found, ...own.filter(({ name }) => !files.some((file) => file.name === name)).map(listOwn)];
    },
    async expand(name, argumentText) {
      const file = (await find()).find((candidate) => candidate.name === name);
      if (file === undefined) {
        const body = own.find((candidate) => candidate.name === name)?.body;
        return body === undefined ? undefined : fillTemplate(body, splitArguments(argumentText)).trim();
      }
      const text = await readOrTell(file.path, warn);
      if (text === undefined) return undefined;
      return fillTemplate(splitFrontMatter(text).body, splitArguments(argumentText));
    },
  };
}

function listOwn({ name, description, argumentHint }: OwnTemplate): ListedTemplate {
  return { name, description, argumentHint, path: `<bundled:${name}>`, place: "bundled" };
}

async function describe(path: string, warn: Warn) {
  const text = await readOrTell(path, warn);
  if (text === undefined) return undefined;
  const { header, body } = splitFrontMatter(text);
  const { fields, problem } = await readHeader(header);
  if (problem !== undefined) warn(`${path}: ${problem}`);
  const read = TemplateHeader.parse(fields);
  return { description: read.description || firstLine(body), argumentHint: read["argument-hint"] };
}

async function readOrTell(path: string, warn: Warn): Promise<string | undefined> {
  try {
    return await readMarkdown(path);
  } catch (error) {
    warn(`The prompt template ${path} can't be read: ${errorMessage(error)}`);
    return undefined;
  }
}

/** The first line of a text that has no blank space in front, as much as is shown of it. */
function firstLine(body: string): string {
  const line = body.split("\n", 1)[0] ?? "";
  return [...line.slice(0, 2 * MAX_DESCRIPTION_LENGTH)].slice(0, MAX_DESCRIPTION_LENGTH).join("").trim();
}
