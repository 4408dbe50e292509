import { existsSync } from "node:fs";
import { z } from "zod";
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
export const HeaderText = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.unknown()).transform((items) => `[${items.join(", ")}]`)])
  .transform((value) => String(value).replace(/\s+/g, " ").trim())
  .catch("");

/** Looks through places in their order. Places that somebody named are missed when they do not exist. */
export async function findInPlaces(
  places: readonly Place[],
  find: (path: string, warn: Warn) => Promise<string[]>,
  warn: Warn,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const place of places) {
    if (existsSync(place.path)) {
      for (const path of await find(place.path, warn)) found.push({ path, place });
    } else if (place.source !== "auto") {
      warn(`${place.path} does not exist: no templates or skills are read from there.`);
    }
  }
  return found;
}

/** Keeps the first resource of each name and at most `max`; tells of the others unless they are the same file by another path. */
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
      warn(`${item.path} is ignored: more than ${max} files of this kind (${kind}) are not read.`);
    }
  }
  return [...kept.values()];
}
