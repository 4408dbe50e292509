/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** More references than this one after the other lead in a circle. */
const MAX_REFERENCES = 20;

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the schema that a schema refers to within its root, as `{"$ref": "#/$defs/Name"}`, or itself. */
export function resolveSchema(schema: unknown, root: Schema): Schema {
  let current = schema;
  for (let count = 0; count < MAX_REFERENCES && isRecord(current); count++) {
    const reference = current.$ref;
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#/")) return {};
    current = reference
      .slice(2)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((part, step) => (isRecord(part) && Object.hasOwn(part, step) ? part[step] : undefined), root);
  }
  return {};
}

/** Returns the schemas of an object's fields. */
export function fieldsOf(schema: Schema): Schema {
  return isRecord(schema.properties) ? schema.properties : {};
}

/** Returns the names of the fields that an object needs. */
export function requiredOf(schema: Schema): ReadonlySet<string> {
  return new Set(strings(schema.required));
}

/** Returns the schemas of which a value has to fit one; the schema itself when it names no others. */
export function variantsOf(schema: Schema, root: Schema): Schema[] {
  const listed = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (listed === undefined) return [schema];
  return listed.flatMap((variant: unknown) => variantsOf(resolveSchema(variant, root), root));
}

/** Returns the names of the types that a value may have, such as `integer`; none when any will do. */
export function typesOf(schema: Schema): readonly string[] {
  if (typeof schema.type === "string") return [schema.type];
  if (Array.isArray(schema.type)) return strings(schema.type);
  const values = schema.const === undefined ? schema.enum : [schema.const];
  return Array.isArray(values) ? values.map((value: unknown) => typeOf(value)) : [];
}

/** True if a value has the type. */
export function hasType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : [];
}
