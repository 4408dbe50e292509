import { type ParseError, parse } from "jsonc-parser";
import * as z from "zod";
import { describeIssues, errorMessage } from "../../protocol/errors.ts";
import { McpExposure, type ToolExposure } from "../../tools/tool-traits.ts";
import { readTextSync } from "../../util/read-text.ts";
import type { McpFile } from "./mcp-files.ts";
import { OAuthConfig } from "./oauth-config.ts";

const EnvironmentValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const StdioConfig = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), EnvironmentValue).default({}),
  cwd: z.string().optional(),
  /** A file in the dotenv format; `env` takes precedence over it. */
  envFile: z.string().min(1).optional(),
});

const HttpConfig = z.object({
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).default({}),
  oauth: OAuthConfig.optional(),
});

/** The configuration of a server. Values may contain `${…}` until they are expanded. */
export type ServerConfig =
  | ({ kind: "stdio" } & z.infer<typeof StdioConfig>)
  | ({ kind: "http"; isSse?: boolean } & z.infer<typeof HttpConfig>);

const InputDefinition = z.object({
  type: z.enum(["promptString", "pickString"]),
  id: z.string().min(1),
  description: z.string().optional(),
  default: z.string().optional(),
  options: z.array(z.string()).optional(),
  /** True if the input is hidden while the user types. */
  password: z.boolean().optional(),
});

/** A value that the agent asks the user for. */
export type InputDefinition = z.infer<typeof InputDefinition>;

const Entries = z.record(z.string(), z.unknown());
const McpFileText = z.object({
  mcpServers: Entries.optional(),
  servers: Entries.optional(),
  inputs: z.array(z.unknown()).optional(),
});

const EntryHead = z.object({
  type: z.string().optional(),
  command: z.unknown().optional(),
  url: z.unknown().optional(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
  exposure: McpExposure.optional(),
  toolExposure: z.record(z.string(), McpExposure).optional(),
});

const HTTP_TYPES = ["http", "streamable-http", "streamableHttp", "sse"];

/** A server as a file names it. */
export interface ServerEntry {
  name: string;
  file: McpFile;
  isDisabled: boolean;
  config: ServerConfig;
  /** How the model reaches its tools; undefined for the default. */
  exposure?: ToolExposure | undefined;
  /** The exposure of single tools, by name or pattern. */
  toolExposure?: Readonly<Record<string, ToolExposure>> | undefined;
  /** The inputs that its file defines, by ID. */
  inputs: ReadonlyMap<string, InputDefinition>;
}

/** The contents of the files. A problem affects only its own entry. */
export interface ServerEntries {
  entries: ServerEntry[];
  /** Each names its file, and the server if it is about one. */
  problems: string[];
  /** Servers of a later file whose name an earlier file has. */
  hidden: ServerEntry[];
}

/** Reads the files; the first of several servers with the same name counts. */
export function readServerEntries(files: readonly McpFile[]): ServerEntries {
  const read: ServerEntries = { entries: [], problems: [], hidden: [] };
  const names = new Set<string>();
  for (const file of files) {
    const content = readFile(file, read.problems);
    if (content === undefined) continue;
    const inputs = readInputs(file, content.inputs ?? [], read.problems);
    for (const [name, value] of Object.entries({ ...content.servers, ...content.mcpServers })) {
      const entry = readEntry(value);
      if (typeof entry === "string") {
        read.problems.push(`${file.path}: server "${name}" is left out: ${entry}`);
        continue;
      }
      (names.has(name) ? read.hidden : read.entries).push({ ...entry, name, file, inputs });
      names.add(name);
    }
  }
  return read;
}

function readFile(file: McpFile, problems: string[]): z.infer<typeof McpFileText> | undefined {
  let text: string;
  try {
    text = readTextSync(file.path);
  } catch (error) {
    problems.push(`${file.path} can't be read: ${errorMessage(error)}`);
    return undefined;
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [broken] = errors;
  if (broken !== undefined) {
    problems.push(`${file.path} is skipped because it isn't valid JSON (near character ${broken.offset}).`);
    return undefined;
  }
  const content = McpFileText.safeParse(value);
  if (content.success) return content.data;
  problems.push(`${file.path} is skipped: ${inOneLine(content.error)}`);
  return undefined;
}

function readInputs(file: McpFile, values: readonly unknown[], problems: string[]): Map<string, InputDefinition> {
  const inputs = new Map<string, InputDefinition>();
  for (const value of values) {
    const input = InputDefinition.safeParse(value);
    if (input.success) inputs.set(input.data.id, input.data);
    else problems.push(`${file.path}: an input is left out: ${inOneLine(input.error)}`);
  }
  return inputs;
}

/** Parses an entry. @returns the problem with it, if there is one. */
export function readEntry(value: unknown): Omit<ServerEntry, "name" | "file" | "inputs"> | string {
  const head = EntryHead.safeParse(value);
  if (!head.success) return inOneLine(head.error);
  const { disabled, enabled, exposure, toolExposure } = head.data;
  const config = readConfig(head.data, value);
  if (typeof config === "string") return config;
  return {
    config,
    isDisabled: disabled === true || enabled === false,
    ...(exposure === undefined ? {} : { exposure }),
    ...(toolExposure === undefined ? {} : { toolExposure }),
  };
}

function readConfig({ type, command, url }: z.infer<typeof EntryHead>, value: unknown): ServerConfig | string {
  if (type === "stdio" || (type === undefined && command !== undefined)) {
    const config = StdioConfig.safeParse(value);
    return config.success ? { kind: "stdio", ...config.data } : inOneLine(config.error);
  }
  if (type === undefined && url === undefined) return 'it needs a "command" or a "url".';
  if (type !== undefined && !HTTP_TYPES.includes(type))
    return `its type "${type}" isn't supported; use "stdio", "http", or "sse".`;
  const config = HttpConfig.safeParse(value);
  if (!config.success) return inOneLine(config.error);
  return { kind: "http", ...(type === "sse" && { isSse: true }), ...config.data };
}

function inOneLine(error: z.ZodError): string {
  return describeIssues(error)
    .map((line) => line.replace(/^\s*- /, ""))
    .join("; ");
}
