/** Keywords whose values are schemas, or lists of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "items",
  "prefixItems",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
]);
/** Keywords whose values map names to schemas. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Returns the schema with one-value enums in place of constants, which Gemini ignores. */
export function withoutConstants(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutConstants);
  if (!isRecord(schema)) return schema;
  const { const: constant, ...rest } = mapValues(schema, (value, key) => {
    if (SCHEMAS.has(key)) return withoutConstants(value);
    return NAMED_SCHEMAS.has(key) && isRecord(value) ? mapValues(value, withoutConstants) : value;
  });
  if (typeof constant !== "string" && typeof constant !== "number")
    return constant === undefined ? rest : { ...rest, const: constant };
  return { enum: [constant], ...rest };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapValues(
  record: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
