import { existsSync } from "node:fs";
import * as z from "zod";
import { whyNotOfProject } from "./project-files.ts";
import { isSameFile, type Warn } from "./resource-files.ts";
import type { Place } from "./resource-places.ts";

/** A file that may hold a resource, and where it was found. */
export interface FoundFile {
  path: string;
  place: Place;
}

/** Something that a message can name. */
export interface Resource {
  name: string;
  description: string;
  /** Absolute path of its file. */
  path: string;
  place: Place;
}

/** A text in a header; what looks like a number or a list to YAML is text too. */
export const HeaderText = z.lazy(() =>
  z
    .union([z.string(), z.number(), z.boolean(), z.array(z.unknown()).transform((items) => `[${items.join(", ")}]`)])
    .transform((value) => String(value).replace(/\s+/g, " ").trim())
    .catch(""),
);

interface FindOptions {
  /** The kind of resource, in words. */
  kind: string;
  find(path: string, warn: Warn): Promise<string[]>;
  warn: Warn;
}

/** Looks through places in their order. Tells when there is nothing in a place that somebody named. */
export async function findInPlaces(places: readonly Place[], { kind, find, warn }: FindOptions): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const place of places) {
    const isThere = existsSync(place.path);
    const paths = isThere ? await find(place.path, warn) : [];
    const wanted = place.isWanted === undefined ? paths : paths.filter(place.isWanted);
    found.push(...wanted.filter((path) => isOfProject(path, place, warn)).map((path) => ({ path, place })));
    if (paths.length > 0 || place.source === "auto") continue;
    warn(isThere ? `No ${kind} is found in ${place.path}.` : `${place.path} does not exist.`);
  }
  return found;
}

function isOfProject(path: string, { root }: Place, warn: Warn): boolean {
  const problem = root === undefined ? undefined : whyNotOfProject(path, root);
  if (problem !== undefined) warn(problem);
  return problem === undefined;
}

/** Keeps the first resource of each name and at most `max`; tells of the others, but not of the same file by another path. */
export async function keepFirst<Item extends { name: string; path: string }>(
  items: readonly Item[],
  { kind, max, warn }: { kind: string; max: number; warn: Warn },
): Promise<Item[]> {
  const kept = new Map<string, Item>();
  for (const item of items) {
    const first = kept.get(item.name);
    if (first !== undefined) {
      if (!(await isSameFile(first.path, item.path))) {
        warn(`${item.path} is ignored: ${first.path} is a ${kind} of the same name, "${item.name}".`);
      }
    } else if (kept.size < max) {
      kept.set(item.name, item);
    } else {
      warn(`There are too many; Tiller uses only the first ${max} (${kind}).`);
    }
  }
  return [...kept.values()];
}
