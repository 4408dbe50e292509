import type { AnyTool } from "../../tools/tool.ts";

/** The source of the host's own tools. */
const HOST = "host";

/** The limits for tools that are declared to the model. */
export interface DeferralLimits {
  maxTools: number;
  /** The length of the tools' definitions, in UTF-16 units. */
  maxCharacters: number;
}

/** Returns the name of a tool's source; undefined for the agent's own tools, which are always declared. */
export function sourceOf({ source, origin }: AnyTool): string | undefined {
  return source ?? (origin === "host" ? HOST : undefined);
}

interface Source {
  name: string;
  count: number;
  characters: number;
  isTold: boolean;
}

/**
 * Returns the sources whose tools the model has to search for, so that the others fit into the limits: those that were deferred before, then
 * those that the model wasn't told of yet, the largest first. The host's own tools come last.
 * @param tools all tools that could be declared.
 * @param isFree true for a tool that may be deferred.
 * @param before the sources that are deferred, and the names of the tools that the model was told of.
 */
export function deferredSources(
  tools: Iterable<AnyTool>,
  isFree: (tool: AnyTool) => boolean,
  limits: DeferralLimits,
  before: { deferred: ReadonlySet<string>; told: ReadonlySet<string> },
): Set<string> {
  const sources = new Map<string, Source>();
  const left = { count: 0, characters: 0 };
  for (const tool of tools) {
    if (tool.isDeferred === true && isFree(tool)) continue; // it is held back in any case
    const characters = sizeOf(tool);
    left.count++;
    left.characters += characters;
    const name = sourceOf(tool);
    if (name === undefined || !isFree(tool)) continue;
    const source = sources.get(name) ?? { name, count: 0, characters: 0, isTold: false };
    source.count++;
    source.characters += characters;
    source.isTold ||= before.told.has(tool.name);
    sources.set(name, source);
  }
  const deferred = new Set<string>();
  const defer = ({ name, count, characters }: Source) => {
    deferred.add(name);
    left.count -= count;
    left.characters -= characters;
  };
  for (const source of sources.values()) if (before.deferred.has(source.name)) defer(source);
  const candidates = [...sources.values()].filter(({ name }) => !deferred.has(name)).sort(inOrderOfDeferral);
  for (const source of candidates) {
    if (left.count <= limits.maxTools && left.characters <= limits.maxCharacters) break;
    defer(source);
  }
  return deferred;
}

function inOrderOfDeferral(one: Source, other: Source): number {
  return (
    Number(one.name === HOST) - Number(other.name === HOST) ||
    Number(one.isTold) - Number(other.isTold) ||
    other.characters - one.characters
  );
}

const sizes = new WeakMap<AnyTool, number>();

/** The length of a tool's definition, which never changes. */
function sizeOf(tool: AnyTool): number {
  const known = sizes.get(tool);
  if (known !== undefined) return known;
  const { name, description, parameters } = tool;
  const size = JSON.stringify({ name, description, parameters }).length;
  sizes.set(tool, size);
  return size;
}
