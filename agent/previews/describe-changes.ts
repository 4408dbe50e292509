import { open } from "node:fs/promises";
import type { PreviewedChange } from "../protocol/previews.ts";
import { isIn } from "../sandbox/policy.ts";
import { describeChange } from "../tools/edit-diff.ts";
import { kindOf } from "../tools/file-kind.ts";
import type { ChangedPath } from "./changed-paths.ts";

/** The number of changes that are listed. */
const MAX_LISTED = 500;
/** Larger files are listed by size. */
const MAX_TEXT_BYTES = 256 * 1024;
/** All diffs together, in UTF-16 units. */
const MAX_PATCH_LENGTH = 100_000;

/** Describes changes for people, those in the workspace first. */
export async function describeChanges(
  changed: readonly ChangedPath[],
  roots: readonly string[],
): Promise<PreviewedChange[]> {
  const isInside = ({ path }: ChangedPath) => roots.some((root) => isIn(path, root));
  const ordered = [...changed.filter(isInside), ...changed.filter((one) => !isInside(one))].slice(0, MAX_LISTED);
  const described: PreviewedChange[] = [];
  let room = MAX_PATCH_LENGTH;
  for (const one of ordered) {
    const patch = room > 0 ? await patchOf(one) : undefined;
    const isShown = patch !== undefined && patch.length <= room;
    if (isShown) room -= patch.length;
    described.push({ ...describe(one), ...(isShown && { patch }) });
  }
  return described;
}

function describe({ path, before, after }: ChangedPath): PreviewedChange {
  const { kind } = after ?? before ?? {};
  return {
    path,
    change: before === undefined ? "created" : after === undefined ? "deleted" : "changed",
    type: kind === "folder" || kind === "link" ? kind : "file",
    ...(before?.kind === "file" && { sizeBefore: before.size }),
    ...(after?.kind === "file" && { sizeAfter: after.size }),
    ...(before && after && before.mode !== after.mode && { modeBefore: before.mode, modeAfter: after.mode }),
    ...(after?.target !== undefined && { target: after.target }),
  };
}

/** Returns the diff of a text file; undefined for another file, a large one, and one whose text stays. */
async function patchOf({ path, source, before, after }: ChangedPath): Promise<string | undefined> {
  const sides = [before, after].filter((state) => state !== undefined);
  if (sides.some(({ kind, size }) => kind !== "file" || size > MAX_TEXT_BYTES)) return undefined;
  const [old, fresh] = await Promise.all([
    before === undefined ? "" : textOf(path),
    after === undefined ? "" : textOf(source),
  ]);
  if (old === undefined || fresh === undefined || old === fresh) return undefined;
  return (await describeChange(path, old, fresh)).patch;
}

async function textOf(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return undefined; // nobody may read it
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_TEXT_BYTES), 0, MAX_TEXT_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return kindOf(bytes).kind === "text" ? bytes.toString("utf8") : undefined;
  } finally {
    await file.close();
  }
}
