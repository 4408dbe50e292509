import type { ToolSpec } from "./provider.ts";

const MAX_NAME_LENGTH = 128;
const FORBIDDEN = /[^a-zA-Z0-9_-]/g;

/** Names that a model API accepts for tools that may be called anything. */
export interface ToolNames {
  /** The name on the wire; the same name always gives the same. */
  toWire(name: string): string;
  /** The tool's own name; a name that was never handed out comes back as it is. */
  fromWire(wireName: string): string;
}

/** Gives every tool a name of letters, digits, `_` and `-`, at most `maxLength` long, no two alike. */
export function mapToolNames(tools: readonly ToolSpec[], maxLength = MAX_NAME_LENGTH): ToolNames {
  const wireNames = new Map<string, string>();
  const ownNames = new Map<string, string>();
  const add = (name: string, wireName: string) => {
    wireNames.set(name, wireName);
    ownNames.set(wireName, name);
  };
  const names = new Set(tools.map((tool) => tool.name));
  // Names that need no change come first, so that no other tool can take one of them.
  for (const name of names) if (safeName(name, maxLength) === name) add(name, name);
  for (const name of names)
    if (!wireNames.has(name)) add(name, freeName(safeName(name, maxLength), ownNames, maxLength));
  return {
    toWire: (name) => wireNames.get(name) ?? safeName(name, maxLength),
    fromWire: (wireName) => ownNames.get(wireName) ?? wireName,
  };
}

function safeName(name: string, maxLength: number): string {
  return name.replace(FORBIDDEN, "_").slice(0, maxLength) || "_";
}

function freeName(name: string, taken: ReadonlyMap<string, string>, maxLength: number): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`;
    const candidate = name.slice(0, maxLength - suffix.length) + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}
