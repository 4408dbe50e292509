import { basename, dirname } from "node:path";
import * as z from "zod";
import { InputContent } from "../protocol/content.ts";
import { describeIssues } from "../protocol/errors.ts";
import { ToolAnnotations, ToolExposure, ToolNamespace } from "../tools/tool-traits.ts";
import type { ExtensionScope } from "./discover.ts";
import { ExtensionLife } from "./extension-life.ts";

/** A function of an extension, whose result is unchecked. */
export type ExtensionFunction = (...args: unknown[]) => unknown;

/** Any function. */
export const ExtensionFunction = z.custom<ExtensionFunction>((value) => typeof value === "function", "not a function");

const texts = z.lazy(() => z.array(z.string()).optional());

/** A tool as it was registered, checked. */
export const RegisteredTool = z.lazy(() =>
  z.object({
    name: z.string().regex(/^[\w-]{1,128}$/, "expected 1 to 128 letters, digits, hyphens or underscores"),
    label: z.string().optional(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
    promptSnippet: z.string().optional(),
    promptGuidelines: texts,
    executionMode: z.string().optional(),
    concurrency: z.enum(["shared", "exclusive"]).optional(),
    defaultActive: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    isOffered: ExtensionFunction.optional(),
    source: z.string().optional(),
    exposure: ToolExposure.optional(),
    annotations: ToolAnnotations.optional(),
    namespace: ToolNamespace.optional(),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
    reachesTools: ExtensionFunction.optional(),
    prepareLoadout: ExtensionFunction.optional(),
    prepareArguments: ExtensionFunction.optional(),
    execute: ExtensionFunction,
  }),
);
export type RegisteredTool = z.infer<typeof RegisteredTool>;

/** A command as it was registered, checked. */
export const RegisteredCommand = z.lazy(() =>
  z.object({
    description: z.string().optional(),
    getArgumentCompletions: ExtensionFunction.optional(),
    handler: ExtensionFunction,
  }),
);
export type RegisteredCommand = z.infer<typeof RegisteredCommand>;

const flagValue = z.lazy(() => z.union([z.boolean(), z.string()]).optional());

/** A flag as it was registered, checked. */
export const RegisteredFlag = z.lazy(() =>
  z.object({
    type: z.enum(["boolean", "string"]).default("boolean"),
    default: flagValue,
    description: z.string().optional(),
  }),
);
export type RegisteredFlag = z.infer<typeof RegisteredFlag>;

/** A message of an extension for the conversation. */
export const ExtensionMessage = z.lazy(() =>
  z.object({
    customType: z.string().min(1),
    content: z.union([z.string(), z.array(InputContent)]),
    display: z.boolean().default(true),
    details: z.unknown().optional(),
  }),
);
export type ExtensionMessage = z.infer<typeof ExtensionMessage>;

/** One extension with everything that it registered so far. */
export interface Extension {
  path: string;
  scope: ExtensionScope;
  handlers: Map<string, ExtensionFunction[]>;
  commands: Map<string, RegisteredCommand>;
  flags: Map<string, RegisteredFlag>;
  life: ExtensionLife;
}

/** An extension that has not run yet. */
export function newExtension(path: string, scope: ExtensionScope): Extension {
  return { path, scope, handlers: new Map(), commands: new Map(), flags: new Map(), life: new ExtensionLife() };
}

/** Checks a value from an extension. @throws Error that names it and every problem. */
export function readRegistration<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Error([`${what} cannot be registered:`, ...describeIssues(read.error)].join("\n"));
}

/** Returns the name of an extension for people. */
export function extensionName(path: string): string {
  const name = basename(path).replace(/\.[cm]?[jt]s$/, "");
  return name === "index" ? basename(dirname(path)) : name;
}
