import * as z from "zod";
import { EDITOR_LINK_TOOLS } from "../../../agent/protocol/host-tools.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import type { HostTool, HostToolContext } from "./host-tool.ts";
import type { ProblemWatch } from "./language/problem-watch.ts";
import type { UnsavedFiles } from "./unsaved-files.ts";

interface LinkParts {
  /** Documents that only the editor can open, by address. */
  readonly documents: {
    read(address: string): Promise<object>;
    change(address: string, text: string, version: number): Promise<void>;
  };
  readonly changes: ChangeTracker;
  readonly unsaved: UnsavedFiles;
  readonly problems: ProblemWatch;
  /** Maps an absolute path of the agent to the editor's path of the same file. */
  openedPath(path: string): string;
  /** True if the agent learns how its edits change the problems of the workspace. */
  reportsProblems(): boolean;
}

const Call = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  path: z.string().optional(),
});

const BufferCall = z.discriminatedUnion("op", [
  z.object({ op: z.literal("open"), uri: z.string() }),
  z.object({ op: z.literal("change"), uri: z.string(), text: z.string(), version: z.int() }),
  z.object({ op: z.literal("read"), path: z.string() }),
  z.object({ op: z.literal("write"), path: z.string(), text: z.string(), version: z.int() }),
]);

/** Creates the hidden tools by which the editor takes part in the agent's own changes of files. */
export function createEditorLink(parts: LinkParts): HostTool[] {
  return [beforeChange(parts), afterChange(parts), buffer(parts)];
}

function beforeChange(parts: LinkParts): HostTool {
  const { changes, unsaved, problems, reportsProblems } = parts;
  return hidden(EDITOR_LINK_TOOLS.beforeChange, "Before a call that may change files.", async (args, context) => {
    const call = readCall(args, parts);
    const { path } = call;
    if (path !== undefined) {
      await unsaved.beforeChange(path, context);
      if (reportsProblems()) await problems.before(call.toolCallId, path, context.token);
    }
    await changes.before(context.folder, { ...call, session: context.session });
    // The call has been cancelled, so no other frame will tell of its end.
    if (context.token.isCancellationRequested) {
      await changes.after(context.folder, { ...call, session: context.session });
    }
    return { content: [] };
  });
}

function afterChange(parts: LinkParts): HostTool {
  const { changes, problems } = parts;
  return hidden(EDITOR_LINK_TOOLS.afterChange, "After a call that may have changed files.", async (args, context) => {
    const call = readCall(args, parts);
    const recorded = changes.after(context.folder, { ...call, session: context.session });
    // The changes of a command are found a moment later; the agent does not wait for them.
    if (call.path === undefined) return { content: [] };
    await recorded;
    const text = await problems.after(call.toolCallId, call.path, context.token);
    return { content: text === "" ? [] : [{ type: "text", text }] };
  });
}

function buffer({ documents, unsaved, openedPath }: LinkParts): HostTool {
  return hidden(EDITOR_LINK_TOOLS.buffer, "Texts that the editor holds.", async (args, context) => {
    const call = BufferCall.parse(args);
    if (call.op === "write") {
      await unsaved.write(openedPath(call.path), call.text, call.version);
      return { content: [] };
    }
    if (call.op === "change") {
      await documents.change(call.uri, call.text, call.version);
      return { content: [] };
    }
    if (call.op === "open") return { content: [], details: await documents.read(call.uri) };
    const open = unsaved.read(openedPath(call.path), context.session);
    return open === undefined ? { content: [] } : { content: [], details: open };
  });
}

function readCall(args: unknown, { openedPath }: LinkParts): z.infer<typeof Call> {
  const call = Call.parse(args);
  return call.path === undefined ? call : { ...call, path: openedPath(call.path) };
}

function hidden(name: string, description: string, run: HostTool["run"]): HostTool {
  return { definition: { name, description, parameters: {}, hidden: true }, run };
}

/** Records the changes that an editor action makes to `paths`, which are absolute; to the whole folder when there are none. */
export async function recordChanges<T>(
  changes: Pick<ChangeTracker, "before" | "after">,
  context: Pick<HostToolContext, "toolCallId" | "toolName" | "session" | "folder">,
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const { session, toolName, folder } = context;
  const named = paths.map((path) => ({ session, toolName, path, toolCallId: `${context.toolCallId} ${path}` }));
  const calls = named.length > 0 ? named : [{ session, toolName, toolCallId: context.toolCallId }];
  for (const call of calls) await changes.before(folder, call);
  try {
    return await work();
  } finally {
    for (const call of calls) await changes.after(folder, call);
  }
}
