import { relative } from "node:path";
import picomatch from "picomatch";
import { resolveExistingPath, resolvePath, toSlashes } from "../../tools/paths.ts";
import { ALL_SCOPES, type CallJudgement, neverAllowed, type Proposal } from "./judgement.ts";
import type { Place, Places } from "./places.ts";
import { hasInvisible } from "./visible-text.ts";

/** The tools that change one file, named by `path`. */
export type FileTool = "edit" | "write";

/** Systems take no longer ones. */
const MAX_PATH_LENGTH = 4096;

/** Judges a change of a file by where the file is. */
export async function judgeFileCall(
  tool: FileTool,
  path: unknown,
  cwd: string,
  places: Places,
): Promise<CallJudgement> {
  if (typeof path !== "string" || path === "") return neverAllowed(["cannot be judged: no path is given"]);
  if (path.length > MAX_PATH_LENGTH) return neverAllowed(["cannot be judged: the path is too long"]);
  const absolute = tool === "edit" ? await resolveExistingPath(cwd, path) : resolvePath(cwd, path);
  const place = places.locate(absolute);
  const shown = places.show(place);
  switch (place.kind) {
    case "inside": {
      const root = places.rootOf(place.real) ?? places.workspace;
      const base = root === places.workspace ? "" : `${toSlashes(root)}/`;
      return judgement({ tool, places, place, base, subject: base + toSlashes(relative(root, place.real)) });
    }
    case "temporary":
      return judgement({ tool, places, place, base: "", subject: toSlashes(place.real) });
    case "guarded":
      return neverAllowed([`changes a protected file: ${shown}`]);
    default:
      return neverAllowed([`writes outside the workspace: ${shown}`]);
  }
}

interface FileSubject {
  tool: FileTool;
  places: Places;
  place: Place;
  /** What patterns begin with in another folder of the workspace than that of relative paths, else empty. */
  base: string;
  /** What patterns are held against: relative in the folder of relative paths, else absolute. */
  subject: string;
}

function judgement({ tool, places, place, base, subject }: FileSubject): CallJudgement {
  const isInside = place.kind === "inside";
  const pattern = isInside ? escapeGlob(base) + folderPattern(subject.slice(base.length)) : escapeGlob(subject);
  const isPlain = !hasInvisible(pattern); // what cannot be seen in a rule does not belong in one
  return {
    reasons: isInside ? [] : [`writes outside the workspace: ${places.show(place)}`],
    isFree: isInside,
    scopes: !isPlain ? [] : isInside ? ALL_SCOPES : ["session"],
    proposal: isPlain ? toProposal(tool, pattern) : undefined,
    allowedBy(rules) {
      const rule = rules.find(
        ({ tool: name, scope, pattern }) =>
          name === tool && pattern !== undefined && (isInside || scope === "session") && matches(pattern, subject),
      );
      return rule === undefined ? undefined : [rule];
    },
    propose(pattern) {
      const wish = pattern.trim();
      const problem =
        problemOf(wish, isInside, base) ?? (matches(wish, subject) ? undefined : `does not match ${subject}`);
      return problem === undefined ? toProposal(tool, wish) : `${wish}: ${problem}`;
    },
  };
}

/** The folder at the top with all that is in it; a file at the top stands for itself. */
function folderPattern(subject: string): string {
  const end = subject.indexOf("/");
  return end === -1 ? escapeGlob(subject) : `${escapeGlob(subject.slice(0, end))}/**`;
}

function problemOf(pattern: string, isInside: boolean, base: string): string | undefined {
  if (pattern === "" || hasInvisible(pattern)) return "a glob on one line is needed";
  if (pattern.startsWith("!")) return "a rule says what is allowed, not what is not";
  if (pattern.split("/").includes("..")) return '".." leads out of the workspace';
  const isBased = base !== "" && pattern.startsWith(escapeGlob(base));
  if (isInside && !isBased && /^([/~\\]|[a-z]:)/i.test(pattern))
    return `start it in the workspace, such as ${base}src/**`;
  try {
    picomatch.makeRe(pattern, { strictBrackets: true });
    return undefined;
  } catch {
    return "is not a glob";
  }
}

function matches(pattern: string, subject: string): boolean {
  try {
    return picomatch.isMatch(subject, pattern, { dot: true, nonegate: true, windows: false });
  } catch {
    return false; // a rule that somebody wrote by hand and that is no glob allows nothing
  }
}

function toProposal(tool: FileTool, pattern: string): Proposal {
  return { tool, pattern, text: `${tool} ${pattern}` };
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
}
