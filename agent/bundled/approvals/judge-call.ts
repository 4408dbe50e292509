import { existsSync } from "node:fs";
import type { ApprovalRule, ApprovalScope } from "../../protocol/approvals.ts";
import type { ToolPath } from "../../protocol/host-tools.ts";
import { BUILTIN_PATHS } from "../../tools/builtin-paths.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { looksLikeAddress, resolvePath } from "../../util/paths.ts";
import { hasInvisible } from "../../util/visible-text.ts";
import { type CallJudgement, forbidden, neverAllowed, type Proposal } from "./judgement.ts";
import { namedPaths } from "./named-paths.ts";
import { judgePathCall } from "./path-call.ts";
import { FORBIDS_READING, type Places } from "./places.ts";
import { addressRuleWords } from "./rule-words.ts";
import { judgeShellCall } from "./shell-call.ts";
import { judgeToolCall } from "./tool-call.ts";
import { judgeWebCall } from "./web-call.ts";

/** The surroundings in which calls are judged. */
export interface Surroundings {
  cwd: string;
  places: Places;
  /** Absolute path of the shell; undefined for the platform's bash. */
  shellPath?: string | undefined;
  /** True when a path of a built-in tool is the address of a document that only the editor opens. */
  isAddress(path: string): Promise<boolean>;
}

/** A call that reads no known path. */
const NOTHING_TO_ASK: CallJudgement = { ...neverAllowed([]), isFree: true };

type PathTool = Pick<AnyTool, "name" | "paths" | "isReadOnly">;

/**
 * Judges a call of any built-in tool or host tool, by its paths, its command, its subject, or else by the tool's name.
 */
export async function judgeCall(
  tool: AnyTool,
  args: Record<string, unknown>,
  around: Surroundings,
): Promise<CallJudgement> {
  if (tool.name === "bash") return forbiddenWhereRead(await judgeShellCall(args, around));
  const reached = tool.reaches?.(args);
  if (reached !== undefined) return judgeWebCall(tool.name, reached);
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

/**
 * Returns the arguments of a tool that are paths; undefined when they are unknown. A tool that replaces a built-in tool
 * has the paths of the built-in tool.
 */
function pathsOf({ name, paths, isReadOnly }: PathTool): readonly ToolPath[] | undefined {
  if (paths !== undefined) return paths;
  if (!isReadOnly && !isFileTool(name)) return undefined;
  return Object.entries(BUILTIN_PATHS).find(([builtin]) => builtin === name)?.[1];
}

/** Forbids a command that reads a file against a rule, whatever else the command does. */
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
  if (typeof named === "string") return neverAllowed([`can't be checked: ${named}`]);
  const { name, origin, isReadOnly, approval } = tool;
  const isChanging = changesFiles(tool);
  const [first] = named;
  if (first === undefined) {
    // Without its path, a tool may change any file.
    if (!isChanging) return undefined;
    return isFileTool(name) ? neverAllowed(["can't be checked: it names no path"]) : undefined;
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

/** The tools that change one file, named by `path`. */
type FileTool = "edit" | "write";

/** Other windows have other documents and file systems under the same address. */
const SCOPES: readonly ApprovalScope[] = ["session"];
/** Untitled documents: changes stay in the editor until the user saves them. */
const UNSAVED = "untitled:";

/**
 * Judges a change of a document that only the editor opens. Its rules are the address, or the beginning of the address
 * and a `*`.
 */
function judgeAddressCall(tool: FileTool, address: string): CallJudgement {
  if (hasInvisible(address)) return neverAllowed(["its address has invisible characters"]);
  const isUnsaved = address.startsWith(UNSAVED);
  const scheme = address.slice(0, address.indexOf(":") + 1);
  const isPlain = !address.endsWith("*"); // as a rule it would be another one
  const matches = (pattern: string) =>
    pattern.startsWith(scheme) &&
    (pattern.endsWith("*") ? address.startsWith(pattern.slice(0, -1)) : pattern === address);
  const proposal = (pattern: string): Proposal => ({
    tool,
    pattern,
    text: `${tool} ${pattern}`,
    covers: addressRuleWords(pattern),
  });
  return {
    reasons: isUnsaved ? [] : [`changes a document outside the workspace: ${address}`],
    isFree: isUnsaved,
    scopes: SCOPES,
    proposal: isUnsaved ? proposal(`${UNSAVED}*`) : isPlain ? proposal(address) : undefined,
    allowedBy(rules) {
      const rule = rules.find(
        ({ tool: name, scope, pattern }) =>
          name === tool && scope === "session" && pattern !== undefined && matches(pattern),
      );
      return rule === undefined ? undefined : [rule];
    },
    propose(pattern) {
      const wish = pattern.trim();
      if (hasInvisible(wish) || !matches(wish)) return `${wish}: start it with ${scheme} so that it matches ${address}`;
      return proposal(wish);
    },
  };
}

/** Commands that change the shell itself: later commands in the same shell then mean something else. */
const CHANGES_SHELL =
  /(^|[\s;&|(){}!`])(cd|pushd|popd|alias|unalias|export|declare|typeset|local|readonly|set|setopt|unset|shopt|enable|hash|trap|eval|exec|source|function|\.)([\s;&|]|$)/;

/**
 * Judges a command of a tool other than our own shell, with the same grammar; such a tool has its own rules. Its shell
 * may keep running, and we don't see its state: `auto-edit` never lets a command run there, and no rule covers a
 * command that may change the meaning of later ones.
 */
async function judgeHostCommand(
  tool: string,
  command: unknown,
  around: { cwd: string; places: Places },
): Promise<CallJudgement> {
  const judged = await judgeShellCall({ command }, { cwd: around.cwd, places: around.places }); // which shell it is, is not known
  if (typeof command === "string" && CHANGES_SHELL.test(command.replace(/["'\\]/g, ""))) {
    return {
      ...neverAllowed([...judged.reasons, "may change the shell that later commands run in"]),
      ...shownOf(judged),
    };
  }
  const ofTool = ({ pattern = "", covers }: Proposal): Proposal => ({
    tool,
    pattern,
    text: `${tool} ${pattern}`,
    covers,
  });
  return {
    ...judged,
    isFree: false,
    proposal: judged.proposal && ofTool(judged.proposal),
    allowedBy(rules) {
      const own = new Map<ApprovalRule, ApprovalRule>();
      for (const rule of rules) if (rule.tool === tool) own.set({ ...rule, tool: "bash" }, rule);
      return judged.allowedBy([...own.keys()])?.flatMap((rule) => own.get(rule) ?? []);
    },
    propose(pattern) {
      const proposed = judged.propose(pattern);
      return typeof proposed === "string" ? proposed : ofTool(proposed);
    },
  };
}

function shownOf({ commands, dangers }: CallJudgement): Pick<CallJudgement, "commands" | "dangers"> {
  return { ...(commands && { commands }), ...(dangers && { dangers }) };
}
