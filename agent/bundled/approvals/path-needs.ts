import { statSync } from "node:fs";
import { dirname, parse, relative } from "node:path";
import type { ApprovalScope } from "../../protocol/approvals.ts";
import type { PathAccess } from "../../protocol/host-tools.ts";
import { toSlashes } from "../../util/paths.ts";
import { looksSecret } from "../../util/secret-files.ts";
import { hasInvisible } from "../../util/visible-text.ts";
import { ALL_SCOPES } from "./judgement.ts";
import type { Place, Places } from "./places.ts";
import { escapeGlob } from "./rule-glob.ts";
import { deletesOrMoves, WARNINGS } from "./warnings.ts";

/** Permission that a path of a call needs before the call may run. */
export interface PathNeed {
  /** The tool whose rules count. */
  tool: string;
  /** The path that globs are matched against: relative if it is in the base of relative paths, otherwise absolute. */
  subject: string;
  /** The start of globs if the subject is not in the base of relative paths, otherwise empty. */
  base: string;
  /** The proposed glob; undefined if its meaning would not be visible to people. */
  pattern: string | undefined;
  /** Only the rule that names exactly the subject counts. */
  isExact: boolean;
  scopes: readonly ApprovalScope[];
  /** True when it needs no permission in a mode that allows changing files without a question. */
  isFree: boolean;
  reason?: string;
}

/** Judgement of a path: no rule can allow it, it needs something, or nothing. */
export type PathVerdict = { never: string } | { need: PathNeed } | "free";

const FOR_SESSION: readonly ApprovalScope[] = ["session"];
/** A relative path is another file in another workspace. */
const HERE: readonly ApprovalScope[] = ["session", "workspace"];

/** Judges how a tool that changes nothing reads an absolute path. The rules of `read` apply, whatever the tool. */
export function judgeRead(path: string, places: Places): PathVerdict {
  const reason = places.judgeReading(path);
  if (reason === undefined) return "free";
  const place = places.locate(path);
  const isInside = places.isWorkspace(place.real);
  const { base, subject } = subjectOf(place, places);
  const isSecret = looksSecret(place.real) || looksSecret(path);
  const folder = isFolder(place.real) ? place.real : dirname(place.real);
  const isWide = isSecret || isInside || places.isVital(folder);
  const pattern = isWide ? escapeGlob(subject) : `${escapeGlob(toSlashes(folder)).replace(/\/$/, "")}/**`;
  const scopes = isInside ? HERE : ALL_SCOPES;
  return { need: need({ tool: "read", subject, base, pattern, isExact: isSecret, scopes, isFree: false, reason }) };
}

/** Judges how a tool that changes something uses an absolute path. */
export function judgeUse(tool: string, path: string, access: PathAccess, places: Places): PathVerdict {
  const isEntry = access === "delete" || access === "move";
  const place = isEntry ? places.locateEntry(path) : places.locate(path);
  const shown = places.show(place);
  const whyRead = access === "read" || access === "move" ? places.judgeReading(path) : undefined;
  if (access === "read") {
    if (whyRead !== undefined) return { never: whyRead };
  } else {
    if (place.kind === "guarded") return { never: `${WARNINGS.protectedFile}: ${shown}` };
    if (place.kind !== "inside" && place.kind !== "temporary") return { never: `${WARNINGS.writesOutside}: ${shown}` };
    if (isEntry && places.isVital(place.real)) return { never: deletesOrMoves(shown) };
    if (whyRead !== undefined && place.kind === "inside") return { never: whyRead };
  }
  const { base, subject } = subjectOf(place, places);
  if (place.kind !== "inside") {
    const reason = access === "read" ? {} : { reason: `${WARNINGS.writesOutside}: ${shown}` };
    const pattern = escapeGlob(subject);
    return {
      need: need({ tool, subject, base, pattern, isExact: false, scopes: FOR_SESSION, isFree: false, ...reason }),
    };
  }
  const isLater = access !== "read" && place.runsLater === true;
  const isExact = isLater || access === "delete";
  const pattern = isExact ? escapeGlob(subject) : escapeGlob(base) + folderPattern(subject.slice(base.length));
  return {
    need: need({
      tool,
      subject,
      base,
      pattern,
      isExact,
      scopes: access === "delete" ? FOR_SESSION : ALL_SCOPES,
      isFree: !isLater,
      ...(isLater ? { reason: `${WARNINGS.runsLater}: ${shown}` } : {}),
    }),
  };
}

const NO_FILE = "reads a document outside the workspace";

/** Judges reading a document that only the editor opens, by its address. Unsaved documents are free to read. */
export function judgeAddressRead(address: string, places: Places): PathVerdict {
  const scheme = address.slice(0, address.indexOf(":") + 1).toLowerCase();
  if (scheme === "untitled:") return "free";
  const path = pathIn(address);
  const reason =
    scheme === "git:"
      ? places.judgeReading(path)
      : // Some of the editor's own lead to its settings, and to any file.
        /^(vscode(?!-notebook-cell)|tiller)/.test(scheme)
        ? `${NO_FILE}: ${address}`
        : looksSecret(path)
          ? `${WARNINGS.secretDocument}: ${address}`
          : undefined;
  if (reason === undefined) return "free";
  const pattern = escapeGlob(address);
  return {
    need: need({
      tool: "read",
      subject: address,
      base: "",
      pattern,
      isExact: true,
      scopes: FOR_SESSION,
      isFree: false,
      reason,
    }),
  };
}

function pathIn(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return address; // it is no path that the workspace has
  }
}

/** Drops a pattern with invisible characters, which people could mistake for another one. */
function need(wanted: PathNeed): PathNeed {
  if (wanted.pattern !== undefined && !hasInvisible(wanted.pattern)) return wanted;
  return { ...wanted, pattern: undefined, scopes: [] };
}

function subjectOf({ real }: Place, places: Places): { base: string; subject: string } {
  const root = places.rootOf(real);
  if (root === undefined) return { base: toSlashes(parse(real).root), subject: toSlashes(real) };
  const base = root === places.workspace ? "" : `${toSlashes(root)}/`;
  return { base, subject: base + toSlashes(relative(root, real)) };
}

/** Returns a pattern for the top-level folder and everything in it, or for a top-level file itself. */
function folderPattern(subject: string): string {
  const end = subject.indexOf("/");
  return end === -1 ? escapeGlob(subject) : `${escapeGlob(subject.slice(0, end))}/**`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
