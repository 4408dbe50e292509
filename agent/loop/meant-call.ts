import { relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ToolCall } from "../protocol/content.ts";
import type { ToolResultMessage } from "../protocol/messages.ts";
import { locatePath } from "../tools/builtin-paths.ts";
import type { AnyTool } from "../tools/tool.ts";
import { withToolName } from "../tools/tool-names.ts";
import { resolvePath } from "../util/paths.ts";

/**
 * Returns the call that the model means: with the name of a tool, arguments in the form of its schema, and paths without quotes or line
 * numbers. Paths are located here and nowhere later, so that approvals judge the file that the tool then uses. What the tool refuses stays
 * as the model wrote it.
 */
export async function meantCall(called: ToolCall, tools: ReadonlyMap<string, AnyTool>, cwd: string): Promise<ToolCall> {
  const call = withToolName(called, new Set(tools.keys()));
  const tool = tools.get(call.name);
  const bound = tool?.bind(call.arguments);
  if (tool === undefined || bound?.ok !== true) return call;
  return { ...call, arguments: await withLocatedPaths(tool, bound.input.args, cwd) };
}

/** Returns arguments whose paths say plainly which file is meant. Only the agent's own tools read paths in other forms. */
export async function withLocatedPaths(
  { name, origin, paths = [] }: AnyTool,
  args: Record<string, unknown>,
  cwd: string,
): Promise<Record<string, unknown>> {
  if (origin !== "builtin") return args;
  const located = { ...args };
  for (const { argument } of paths) {
    const path = args[argument];
    if (typeof path !== "string") continue;
    const absolute = await locatePath(name, cwd, path);
    if (absolute === resolvePath(cwd, path)) continue;
    const below = relative(cwd, absolute);
    located[argument] = !below.startsWith("..") && resolvePath(cwd, below) === absolute ? below : absolute;
  }
  return located;
}

/** Returns the field of a result that names the call that ran, if the model had written it in another form. */
export function ranAs(written: ToolCall, meant: ToolCall = written): Pick<ToolResultMessage, "ranAs"> {
  const isSame = meant.name === written.name && isDeepStrictEqual(meant.arguments, written.arguments);
  return isSame ? {} : { ranAs: { toolName: meant.name, args: meant.arguments } };
}
