import * as z from "zod";
import { describeIssues } from "../../protocol/errors.ts";
import { ToolAnnotations } from "../../tools/tool-traits.ts";

const MAX_DESCRIPTION_CHARACTERS = 4000;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_TITLE_CHARACTERS = 100;

const TYPE_NAMES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;
const TypeName = z.enum(TYPE_NAMES);

/** The part of a schema that every model API requires; the rest is passed on unchanged. */
const JsonSchema: z.ZodType = z.lazy(() => z.union([z.boolean(), SchemaObject]));
const SchemaObject = z.looseObject({
  type: z.union([TypeName, z.array(TypeName).min(1)]).optional(),
  properties: z.record(z.string(), JsonSchema).optional(),
  patternProperties: z.record(z.string(), JsonSchema).optional(),
  additionalProperties: JsonSchema.optional(),
  required: z.array(z.string()).optional(),
  items: z.union([JsonSchema, z.array(JsonSchema)]).optional(),
  prefixItems: z.array(JsonSchema).optional(),
  anyOf: z.array(JsonSchema).min(1).optional(),
  oneOf: z.array(JsonSchema).min(1).optional(),
  allOf: z.array(JsonSchema).min(1).optional(),
  not: JsonSchema.optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().optional(),
});
const ArgumentsSchema = z.looseObject({ type: z.literal("object") }).and(JsonSchema);

const Head = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  annotations: ToolAnnotations.optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional(),
});

/** A tool of a server in a form that models accept. */
export interface McpToolDefinition {
  /** The server's name for it. */
  name: string;
  title: string | undefined;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** The JSON Schema of its structured results. */
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: ToolAnnotations | undefined;
}

/** @returns the tool, or one line that says why it can't be used. */
export function readToolDefinition(value: unknown): McpToolDefinition | string {
  const head = Head.safeParse(value);
  if (!head.success) return `a tool is left out: ${describeIssues(head.error).join("; ").replaceAll("  - ", "")}`;
  const { name, title, description = "", inputSchema, outputSchema, annotations, execution } = head.data;
  if (execution?.taskSupport === "required") return `tool "${name}" is left out: it runs only as a task.`;
  const problem = schemaProblem(inputSchema);
  if (problem !== undefined) return `tool "${name}" is left out: ${problem}`;
  const isLong = description.length > MAX_DESCRIPTION_CHARACTERS;
  return {
    name,
    title: title?.slice(0, MAX_TITLE_CHARACTERS),
    description: isLong ? `${description.slice(0, MAX_DESCRIPTION_CHARACTERS)}…` : description,
    parameters: inputSchema,
    outputSchema: outputSchema && isUsable(outputSchema) ? outputSchema : undefined,
    annotations,
  };
}

/** True if the schema is small enough to keep. */
function isUsable(schema: Record<string, unknown>): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(schema)) <= MAX_SCHEMA_BYTES;
  } catch {
    return false; // the stack was too small for it
  }
}

function schemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES) {
      return `its argument schema is larger than ${MAX_SCHEMA_BYTES} bytes.`;
    }
    return ArgumentsSchema.safeParse(schema).success ? undefined : "its argument schema is invalid.";
  } catch {
    return "its argument schema is nested too deeply."; // the stack was too small for it
  }
}
