import * as z from "zod";
import { hasInvisible, visibleLine } from "../../../util/visible-text.ts";

const MAX_RESOURCES = 1000;
const MAX_TEMPLATES = 100;
const MAX_PROMPTS = 100;
const MAX_ARGUMENTS = 20;
const MAX_URI_CHARACTERS = 2000;
const MAX_NAME_CHARACTERS = 100;
const MAX_DESCRIPTION_CHARACTERS = 300;
/** The accepted form of a URI. Other forms look like ordinary words in a message. */
const URI_FORM = /^[a-zA-Z][\w+.-]*:/;

const identifier = z
  .string()
  .min(1)
  .max(MAX_URI_CHARACTERS)
  .refine((text) => !hasInvisible(text));
const name = z.string().transform((text) => cut(visibleLine(text).trim(), MAX_NAME_CHARACTERS));
const description = z
  .string()
  .transform((text) => cut(visibleLine(text).trim(), MAX_DESCRIPTION_CHARACTERS))
  .optional()
  .catch(undefined);
const title = name.optional().catch(undefined);

const Resource = z
  .object({ uri: identifier.regex(URI_FORM), name, title, description, mimeType: title })
  .transform(({ title: shown, ...rest }) => ({ ...rest, name: shown || rest.name }));
/** A resource that a server lists. Each of its texts is a single line. */
export type McpResource = z.infer<typeof Resource>;

const Template = z
  .object({ uriTemplate: identifier.regex(URI_FORM), name, title, description, mimeType: title })
  .transform(({ title: shown, ...rest }) => ({ ...rest, name: shown || rest.name }));
/** A family of resources: a URI with variables in braces. */
export type McpTemplate = z.infer<typeof Template>;

const Argument = z.object({ name: identifier, description, required: z.boolean().optional().catch(undefined) });
const Prompt = z.object({
  name: identifier,
  title,
  description,
  arguments: z.array(Argument).max(MAX_ARGUMENTS).default([]),
});
/** A prompt, under the server's name for it. */
export type McpPrompt = z.infer<typeof Prompt>;
/** An argument of a prompt. */
export type PromptArgument = z.infer<typeof Argument>;

/** Returns the valid resources. */
export function readResources(entries: readonly unknown[]): McpResource[] {
  return readUsable(Resource, entries, MAX_RESOURCES);
}

/** Returns the valid templates. */
export function readTemplates(entries: readonly unknown[]): McpTemplate[] {
  return readUsable(Template, entries, MAX_TEMPLATES);
}

/** Returns the valid prompts. */
export function readPrompts(entries: readonly unknown[]): McpPrompt[] {
  return readUsable(Prompt, entries, MAX_PROMPTS);
}

function readUsable<T>(schema: z.ZodType<T>, entries: readonly unknown[], max: number): T[] {
  const usable: T[] = [];
  for (const entry of entries) {
    if (usable.length === max) break;
    const read = schema.safeParse(entry);
    if (read.success) usable.push(read.data);
  }
  return usable;
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
