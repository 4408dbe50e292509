import { isNestedDeeper } from "../util/nesting.ts";
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

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Gives values the type of the schema where they plainly mean one of it: `"5"` is 5, `"true"` is true, JSON text is the list or object that it
 * contains, and an optional field that is null, or empty though it is no text, is absent. Fields get the names of the schema. Everything else
 * stays as it is, for the check to refuse.
 */
export function repairArguments(args: unknown, schema: Schema): unknown {
  return repair(args, schema, schema);
}

function repair(value: unknown, part: unknown, root: Schema): unknown {
  const variants = variantsOf(resolveSchema(part, root), root);
  const fitting = variants.filter((variant) => fits(value, variant));
  if (fitting.length > 0) return inside(value, fitting, root);
  const meant = new Map<string, unknown>();
  for (const variant of variants) {
    const read = readAs(value, variant);
    if (read !== undefined) meant.set(JSON.stringify(read), inside(read, [variant], root));
  }
  const [only] = meant.values();
  return meant.size === 1 ? only : value;
}

function fits(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => hasType(value, type));
}

/** @returns undefined when a value of another type does not plainly mean one of this. */
function readAs(value: unknown, schema: Schema): unknown {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  for (const type of typesOf(schema)) {
    if ((type === "number" || type === "integer") && NUMBER.test(text) && hasType(Number(text), type))
      return Number(text);
    if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
    if (type === "array" || type === "object") {
      const parsed = parseJson(text);
      if (hasType(parsed, type)) return parsed;
    }
  }
  return undefined;
}

function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isNestedDeeper(value) ? undefined : value;
  } catch {
    return undefined; // the check says what is wrong with it
  }
}

/** Repairs what is in a list or an object that has the right type. */
function inside(value: unknown, variants: readonly Schema[], root: Schema): unknown {
  const [schema] = variants.length === 1 ? variants : variants.filter((variant) => isMarked(value, variant, root));
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => repair(item, schema.items ?? {}, root));
  return isRecord(value) ? repairFields(value, schema, root) : value;
}

function repairFields(value: Record<string, unknown>, schema: Schema, root: Schema): Record<string, unknown> {
  const fields = fieldsOf(schema);
  const required = requiredOf(schema);
  const named = Object.entries(renameFields(value, fields));
  return Object.fromEntries(
    named.flatMap(([name, item]): [string, unknown][] => {
      if (!Object.hasOwn(fields, name)) return [[name, item]];
      const variants = variantsOf(resolveSchema(fields[name], root), root);
      const isEmpty = item === null || item === "";
      if (isEmpty && !required.has(name) && !variants.some((variant) => fits(item, variant))) return [];
      return [[name, repair(item, fields[name], root)]];
    }),
  );
}

/** True for the one of several kinds of objects that a field says it is, such as `{"op": "replace"}`. */
function isMarked(value: unknown, schema: Schema, root: Schema): boolean {
  if (!isRecord(value)) return false;
  const marks = Object.entries(fieldsOf(schema)).flatMap(([name, field]): [string, unknown][] => {
    const { const: mark } = resolveSchema(field, root);
    return mark === undefined ? [] : [[name, mark]];
  });
  return marks.length > 0 && marks.every(([name, mark]) => value[name] === mark);
}
