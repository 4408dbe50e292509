/** A JSON Schema. */
export type Schema = Record<string, unknown>;

/** Properties that `Object` leaves out of `required`. */
const optional = new WeakSet<Schema>();

function object(properties: Record<string, Schema>, options: Schema = {}): Schema {
  const required = Object.entries(properties).flatMap(([name, schema]) => (optional.has(schema) ? [] : [name]));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), ...options };
}

function literal(value: unknown, options: Schema = {}): Schema {
  return { const: value, type: value === null ? "null" : typeof value, ...options };
}

function markOptional(schema: Schema): Schema {
  const marked = { ...schema };
  optional.add(marked);
  return marked;
}

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

/** Makes JSON Schemas under the names that TypeBox uses. */
export const Type = {
  Object: object,
  Literal: literal,
  Optional: markOptional,
  String: ofType("string"),
  Number: ofType("number"),
  Integer: ofType("integer"),
  Boolean: ofType("boolean"),
  Null: ofType("null"),
  Any: (options: Schema = {}): Schema => ({ ...options }),
  Unknown: (options: Schema = {}): Schema => ({ ...options }),
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: "array", items, ...options }),
  Tuple: (items: readonly Schema[], options: Schema = {}): Schema => ({
    type: "array",
    prefixItems: items,
    minItems: items.length,
    maxItems: items.length,
    ...options,
  }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Intersect: (allOf: readonly Schema[], options: Schema = {}): Schema => ({ allOf, ...options }),
  Enum: (values: Record<string, unknown>, options: Schema = {}): Schema => ({
    anyOf: Object.values(values).map((value) => literal(value)),
    ...options,
  }),
  Record: (_key: Schema, additionalProperties: Schema, options: Schema = {}): Schema => ({
    type: "object",
    additionalProperties,
    ...options,
  }),
  Partial: (schema: Schema): Schema => {
    const { required: _all, ...rest } = schema;
    return rest;
  },
  Unsafe: (schema: Schema = {}): Schema => ({ ...schema }),
};

/** One of several texts, in the form that every provider understands. */
export function StringEnum(values: readonly string[], options: Schema = {}): Schema {
  return { type: "string", enum: [...values], ...options };
}
