import { ExtensionFunction } from "../registrations.ts";

/** Functions by name, each with its owner as `this`. */
type Functions<Name extends string> = Record<Name, ExtensionFunction>;

/** A function of an object that an extension made, or undefined when it has none of this name. */
export function functionOf(owner: unknown, name: string): ExtensionFunction | undefined {
  if (typeof owner !== "object" || owner === null) return undefined;
  const { data: found } = ExtensionFunction.safeParse(Reflect.get(owner, name));
  return found && ((...args) => found.apply(owner, args));
}

/** Functions of an object that an extension made. @throws Error that names the first that is missing. */
export function functionsOf<Name extends string>(owner: unknown, names: readonly Name[]): Functions<Name>;
export function functionsOf(owner: unknown, names: readonly string[]): Functions<string> {
  const found = names.map((name): [string, ExtensionFunction] => {
    const own = functionOf(owner, name);
    if (own === undefined) throw new Error(`The operations of this tool lack ${name}().`);
    return [name, own];
  });
  return Object.fromEntries(found);
}
