import { renameFields } from "./argument-names.ts";
import {
  fieldsOf,
  hasType,
  isRecord,
  requiredOf,
  resolveSchema,
  type Schema,
  typesOf,
  variantsOf,
} from "./json-schema.ts";
import { repairArguments } from "./repair-arguments.ts";

/** Longer values are not repeated in an example. */
const MAX_EXAMPLE_VALUE = 60;
const MAX_EXAMPLE_LEVELS = 6;

/** The outcome of checking the model's arguments; problems are lines of text for the model. */
export type ParsedInput<Input> = { ok: true; input: Input } | { ok: false; problems: string[] };

/** The part of a tool that reads arguments. */
interface ArgumentReader<Input> {
  readonly origin: string;
  readonly parameters: Schema;
  readonly accepts?: Schema | undefined;
  parse(args: unknown): ParsedInput<Input>;
}

/** Arguments in the form of the tool, and what the tool made of them. */
interface ReadArguments<Input> {
  args: unknown;
  parsed: ParsedInput<Input>;
}

/**
 * Checks the arguments of a call. If the tool refuses them, they are checked once more after what is plainly meant was repaired. Names of
 * arguments of our own tools are always those of the schema, since these tools ignore others.
 */
export function readArguments<Input>(tool: ArgumentReader<Input>, args: unknown): ReadArguments<Input> {
  const schema = tool.accepts ?? tool.parameters;
  const named = tool.origin === "builtin" && isRecord(args) ? withNames(args, schema) : args;
  const parsed = tool.parse(named);
  if (parsed.ok) return { args: named, parsed };
  const repaired = repairArguments(named, schema);
  return { args: repaired, parsed: tool.parse(repaired) };
}

/** Empty arguments go first, so that they take no name from one that says something. */
function withNames(args: Schema, schema: Schema): Schema {
  return withoutEmpty(renameFields(withoutEmpty(args, schema), fieldsOf(schema)), schema);
}

/** An empty text for an argument that may be left out says nothing to our own tools. */
function withoutEmpty(args: Schema, schema: Schema): Schema {
  const required = requiredOf(schema);
  const isLeftOut = ([name, value]: [string, unknown]) =>
    value === "" && Object.hasOwn(fieldsOf(schema), name) && !required.has(name);
  const entries = Object.entries(args);
  return entries.some(isLeftOut) ? Object.fromEntries(entries.filter((entry) => !isLeftOut(entry))) : args;
}

/** Returns a call with all arguments that are needed, and those that were given, in one line: `read {"path":"…","limit":1}`. */
export function exampleCall(toolName: string, schema: Schema, args: unknown): string {
  return `${toolName} ${JSON.stringify(exampleOf(schema, schema, args, MAX_EXAMPLE_LEVELS))}`;
}

function exampleOf(part: unknown, root: Schema, given: unknown, levels: number): unknown {
  const [schema = {}] = variantsOf(resolveSchema(part, root), root);
  const types = typesOf(schema);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.includes(given) ? given : schema.enum[0];
  const isScalar = typeof given !== "object" && given !== undefined && String(given).length <= MAX_EXAMPLE_VALUE;
  if (isScalar && types.some((type) => hasType(given, type))) return given;
  if (levels === 0) return "…";
  switch (types[0]) {
    case "object":
      return exampleObject(schema, root, given, levels);
    case "array":
      return [exampleOf(schema.items ?? {}, root, Array.isArray(given) ? given[0] : undefined, levels - 1)];
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? Math.max(1, schema.minimum) : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "…";
  }
}

function exampleObject(schema: Schema, root: Schema, given: unknown, levels: number): Record<string, unknown> {
  const required = requiredOf(schema);
  const fields = isRecord(given) ? renameFields(given, fieldsOf(schema)) : {};
  const wanted = Object.entries(fieldsOf(schema)).filter(([name]) => required.has(name) || Object.hasOwn(fields, name));
  return Object.fromEntries(wanted.map(([name, part]) => [name, exampleOf(part, root, fields[name], levels - 1)]));
}
