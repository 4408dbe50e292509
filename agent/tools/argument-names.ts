import { plainName } from "./tool-names.ts";

/** Other names that models use for an argument, by the name in the tool's schema; without case, `_` and `-`. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    "filepath",
    "filename",
    "file",
    "absolutepath",
    "relativepath",
    "targetfile",
    "directory",
    "dir",
    "dirpath",
    "directorypath",
    "folder",
  ],
  command: ["cmd"],
  cwd: ["workdir", "workingdirectory", "workingdir"],
  content: ["contents", "text", "filetext", "filecontent", "filecontents"],
  oldText: ["oldstring", "oldstr"],
  newText: ["newstring", "newstr"],
  pattern: ["regex", "regexp", "query", "globpattern", "searchpattern", "glob"],
  glob: ["include", "includepattern", "filepattern"],
  limit: ["headlimit", "maxresults"],
};

/**
 * Returns an object whose fields have the names of the schema, where they had these in another spelling or under a name that models use
 * instead. A field that the schema knows keeps its name, and one that is there is never replaced.
 */
export function renameFields(
  fields: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const strangers = Object.keys(fields).filter((name) => !Object.hasOwn(known, name));
  if (strangers.length === 0) return fields;
  const renamed = new Map<string, string>();
  for (const name of Object.keys(known)) {
    if (Object.hasOwn(fields, name)) continue;
    const meant = strangers.filter((stranger) => means(stranger, name));
    const [only] = meant;
    if (only !== undefined && meant.length === 1 && !renamed.has(only)) renamed.set(only, name);
  }
  if (renamed.size === 0) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [renamed.get(name) ?? name, value]));
}

function means(stranger: string, name: string): boolean {
  const plain = plainName(stranger);
  if (plain === plainName(name)) return true;
  return Object.hasOwn(OTHER_NAMES, name) && OTHER_NAMES[name]?.includes(plain) === true;
}
