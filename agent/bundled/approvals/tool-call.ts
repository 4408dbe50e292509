import type { ApprovalScope } from "../../protocol/approvals.ts";
import type { ToolPath } from "../../protocol/host-tools.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { hasInvisible } from "../../util/visible-text.ts";
import { ALL_SCOPES, type CallJudgement, neverAllowed } from "./judgement.ts";

/** In another project, a tool or an MCP server with the same name may do something else. */
const SCOPES_IN_PROJECT: readonly ApprovalScope[] = ["session", "workspace"];
/** A host tool that declares only its name may do anything. */
const FOR_SESSION: readonly ApprovalScope[] = ["session"];
const MAX_SUBJECT_LENGTH = 500;

type NamedTool = Pick<AnyTool, "name" | "origin" | "approval" | "command" | "subject">;

/**
 * Judges a call without a path or a command: its rule is the subject that its tool declares, or else the tool's name.
 */
export function judgeToolCall(
  tool: NamedTool,
  args: Record<string, unknown> = {},
  paths?: readonly ToolPath[],
): CallJudgement {
  const { name, origin, approval } = tool;
  if (hasInvisible(name)) return neverAllowed(["its name has invisible characters"]);
  if (approval === "always") return neverAllowed(["it asks every time"]);
  if (tool.subject !== undefined) return judgeSubject(tool, subjectOf(args, tool.subject));
  // The tool's name says nothing about a call if its arguments decide what it does.
  if (tool.command !== undefined || (paths !== undefined && paths.length > 0))
    return neverAllowed(["it doesn't say which files it changes"]);
  const text = textOf(tool);
  const offered = origin === "extension" ? SCOPES_IN_PROJECT : origin === "host" ? FOR_SESSION : ALL_SCOPES;
  const kept = origin === "extension" ? SCOPES_IN_PROJECT : ALL_SCOPES;
  return {
    reasons: [],
    isFree: approval === "edit" && paths !== undefined,
    scopes: offered,
    proposal: { tool: name, text, covers: `Covers every call of ${name}, whatever its arguments.`, isFixed: true },
    allowedBy(rules) {
      // The text distinguishes a host tool from an extension's tool with the same name.
      const rule = rules.find(
        (one) => one.tool === name && one.pattern === undefined && one.text === text && kept.includes(one.scope),
      );
      return rule === undefined ? undefined : [rule];
    },
    propose: () => "This tool's rule is its name.",
  };
}

function judgeSubject(tool: NamedTool, subject: string): CallJudgement {
  const isPlain = !hasInvisible(subject) && subject.length <= MAX_SUBJECT_LENGTH;
  const proposal = isPlain
    ? {
        tool: tool.name,
        pattern: subject,
        text: `${textOf(tool)} ${subject}`,
        covers: `Covers calls of ${tool.name} for exactly ${subject}.`,
        isFixed: true,
      }
    : undefined;
  return {
    reasons: [],
    isFree: false,
    // The subject means something else in another project.
    scopes: isPlain ? SCOPES_IN_PROJECT : [],
    proposal,
    allowedBy(rules) {
      const rule = rules.find(
        (one) =>
          one.tool === tool.name &&
          one.pattern === proposal?.pattern &&
          one.text === proposal?.text &&
          one.scope !== "always",
      );
      return rule === undefined ? undefined : [rule];
    },
    propose: () => `This call's rule is ${subject}.`,
  };
}

/** Returns the arguments that say what runs: one plain text as it is, anything else as JSON. */
function subjectOf(args: Record<string, unknown>, names: readonly string[]): string {
  const values = names.map((name) => args[name]);
  const [only] = values;
  const isPlain = values.every((value, at) => (at === 0 ? typeof value === "string" : value === undefined));
  return isPlain && typeof only === "string" && only !== "" && !only.startsWith("[") ? only : JSON.stringify(values);
}

function textOf({ name, origin }: NamedTool): string {
  return origin === "builtin" ? `tool ${name}` : `${origin} tool ${name}`;
}
