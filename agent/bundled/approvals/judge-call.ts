import { existsSync } from "node:fs";
import type { ToolPath } from "../../protocol/host-tools.ts";
import { BUILTIN_PATHS } from "../../tools/builtin-paths.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { looksLikeAddress, resolvePath } from "../../util/paths.ts";
import { type FileTool, judgeAddressCall } from "./address-call.ts";
import { judgeHostCommand } from "./host-command.ts";
import { type CallJudgement, forbidden, neverAllowed } from "./judgement.ts";
import { namedPaths } from "./named-paths.ts";
import { judgePathCall } from "./path-call.ts";
import { FORBIDS_READING, type Places } from "./places.ts";
import { judgeShellCall } from "./shell-call.ts";
import { judgeToolCall } from "./tool-call.ts";

/** The surroundings in which calls are judged. */
export interface Surroundings {
  cwd: string;
  places: Places;
  /** Absolute path of the shell; undefined for the platform's bash. */
  shellPath?: string | undefined;
  /** True when a path of a built-in tool is the address of a document that only the editor opens. */
  isAddress(path: string): Promise<boolean>;
}

/** A call that reads nothing of which a path is known. */
const NOTHING_TO_ASK: CallJudgement = { ...neverAllowed([]), isFree: true };

type PathTool = Pick<AnyTool, "name" | "paths" | "isReadOnly">;

/** Judges a call of any tool, built in or of the host: by its paths, its command, its subject, or else by the tool's name. */
export async function judgeCall(
  tool: AnyTool,
  args: Record<string, unknown>,
  around: Surroundings,
): Promise<CallJudgement> {
  if (tool.name === "bash") return forbiddenWhereRead(await judgeShellCall(args, around));
  const declared = pathsOf(tool);
  const paths = await judgePaths(tool, args, declared, around);
  const asksAlways = tool.approval === "always" && !tool.isReadOnly;
  // For a command, the rule is the command; the paths decide whether there may be a rule.
  const isRunning = tool.subject !== undefined || tool.command !== undefined;
  const isDecided = !isRunning || (paths?.isFree === false && paths.proposal === undefined);
  if (paths !== undefined && (paths.isForbidden || (isDecided && !asksAlways))) return paths;
  if (tool.command !== undefined && !asksAlways) {
    return forbiddenWhereRead(await judgeHostCommand(tool.name, args[tool.command], around));
  }
  if (!changesFiles(tool)) return NOTHING_TO_ASK;
  return judgeToolCall(tool, args, declared);
}

/** The arguments of a tool that are paths; undefined when nothing is known of them. One that stands in for a built-in tool has those of that. */
function pathsOf({ name, paths, isReadOnly }: PathTool): readonly ToolPath[] | undefined {
  if (paths !== undefined) return paths;
  if (!isReadOnly && !isFileTool(name)) return undefined;
  return Object.entries(BUILTIN_PATHS).find(([builtin]) => builtin === name)?.[1];
}

/** Forbids a command that reads a file that a rule forbids to read, whatever else it does. */
function forbiddenWhereRead(judged: CallJudgement): CallJudgement {
  const why = judged.reasons.find((reason) => reason.startsWith(FORBIDS_READING));
  return why === undefined ? judged : forbidden(why);
}

/** @returns undefined for a call that names no path. */
async function judgePaths(
  tool: AnyTool,
  args: Record<string, unknown>,
  declared: readonly ToolPath[] | undefined,
  { cwd, places, isAddress }: Surroundings,
): Promise<CallJudgement | undefined> {
  if (declared === undefined || declared.length === 0) return undefined;
  const named = namedPaths(args, declared);
  if (typeof named === "string") return neverAllowed([`cannot be judged: ${named}`]);
  const { name, origin, isReadOnly, approval } = tool;
  const isChanging = changesFiles(tool);
  const [first] = named;
  if (first === undefined) {
    // Without its path, a tool may change any file.
    if (!isChanging) return undefined;
    return isFileTool(name) ? neverAllowed(["cannot be judged: no path is given"]) : undefined;
  }
  if (isFileTool(name) && origin === "builtin" && (await isAddress(first.path))) {
    return judgeAddressCall(name, first.path);
  }
  const isEdit = isFileTool(name) || isReadOnly || approval === "edit";
  const isNoPath = async (path: string) => {
    if (origin === "builtin") return isAddress(path);
    return origin === "host" && looksLikeAddress(path) && !existsSync(resolvePath(cwd, path));
  };
  return judgePathCall({ tool: name, origin, named, isChanging, isEdit, isAddress: isNoPath }, cwd, places);
}

/** True when a tool changes something, or declares paths that it changes although it is read-only. */
function changesFiles(tool: PathTool): boolean {
  return !tool.isReadOnly || pathsOf(tool)?.some(({ access }) => access !== "read") === true;
}

function isFileTool(name: string): name is FileTool {
  return name === "edit" || name === "write";
}
