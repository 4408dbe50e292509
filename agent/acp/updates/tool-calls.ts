import type { ToolCall, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk";
import type { ToolResultPayload } from "../../protocol/host-tools.ts";
import { META, type SessionFeed } from "./session-feed.ts";
import { diffContent, type FileChange, patchContent, resultContent, textOf } from "./tool-content.ts";
import { changedPlaces, type ToolView, toolView } from "./tool-view.ts";

/** Tool calls that clients are not shown, because something else shows what they do. */
const UNSHOWN: ReadonlySet<string> = new Set(["todo_write"]);

interface OpenCall {
  toolName: string;
  view: ToolView;
  /** What is shown beside the result: changes of files, and a terminal. */
  shown: ToolCallContent[];
}

/** The end of a call. */
export interface CallEnd {
  toolCallId: string;
  toolName: string;
  result: ToolResultPayload;
  isError: boolean;
}

/** Tells the client about tool calls, from the model's first word about one to its result. */
export class ToolCalls {
  readonly #feed: SessionFeed;
  readonly #cwd: string;
  readonly #open = new Map<string, OpenCall>();

  constructor(feed: SessionFeed, cwd: string) {
    this.#feed = feed;
    this.#cwd = cwd;
  }

  /** The model begins to write a call. */
  announce(toolCallId: string, toolName: string): void {
    if (UNSHOWN.has(toolName) || this.#open.has(toolCallId)) return;
    const view = toolView(toolName, undefined, this.#cwd);
    const { title, kind } = view;
    this.#open.set(toolCallId, { toolName, view, shown: [] });
    this.#feed.send({ sessionUpdate: "tool_call", toolCallId, name: toolName, title, kind, status: "pending" });
  }

  /** The arguments of a call are known. */
  describe(toolCallId: string, toolName: string, args: unknown): void {
    this.#tell(toolCallId, toolName, args, "pending");
  }

  /** A call runs, or is asked about. @param parent the call of the tool that made it. */
  begin(toolCallId: string, toolName: string, args: unknown, parent?: string): void {
    this.#tell(toolCallId, toolName, args, "in_progress", parent);
  }

  /** Shows the result so far. */
  progress(toolCallId: string, { content }: ToolResultPayload): void {
    const call = this.#open.get(toolCallId);
    if (call === undefined || content.length === 0) return;
    this.#update(toolCallId, { content: [...call.shown, ...resultContent(call.toolName, content)] });
  }

  /** Shows something beside the result. */
  show(toolCallId: string, content: ToolCallContent): void {
    const call = this.#open.get(toolCallId);
    if (call === undefined) return;
    call.shown.push(content);
    this.#update(toolCallId, { content: call.shown });
  }

  showChange(toolCallId: string, change: FileChange): void {
    this.show(toolCallId, diffContent(change));
  }

  end({ toolCallId, toolName, result, isError }: CallEnd): void {
    const call = this.#open.get(toolCallId);
    if (call === undefined) return;
    this.#open.delete(toolCallId);
    const shown = call.shown.length > 0 ? call.shown : patchContent(result.details);
    const isShownElsewhere = shown.length > 0 && !isError;
    const locations = changedPlaces(call.view.locations, result.details);
    this.#update(toolCallId, {
      status: isError ? "failed" : "completed",
      ...(locations.length > 0 && { locations }),
      content: [...shown, ...(isShownElsewhere ? [] : resultContent(toolName, result.content))],
      rawOutput: { output: textOf(result.content), details: result.details ?? {} },
    });
  }

  /** Returns how a call is shown; a call of a tool that was not announced by its name. */
  viewOf(toolCallId: string, toolName: string): ToolView {
    return this.#open.get(toolCallId)?.view ?? toolView(toolName, undefined, this.#cwd);
  }

  /** Shows something that is no call of the model as one. */
  open(call: Pick<ToolCall, "toolCallId" | "title" | "content"> & Pick<ToolView, "kind">): void {
    const { toolCallId, title, kind } = call;
    this.#open.set(toolCallId, { toolName: "", view: { title, kind, locations: [] }, shown: [] });
    this.#feed.send({ sessionUpdate: "tool_call", status: "pending", ...call });
  }

  /** Calls that never ran have failed. */
  abandon(): void {
    for (const toolCallId of this.#open.keys()) this.#update(toolCallId, { status: "failed" });
    this.#open.clear();
  }

  #tell(toolCallId: string, toolName: string, args: unknown, status: ToolCallStatus, parent?: string): void {
    if (UNSHOWN.has(toolName)) return;
    const view = toolView(toolName, args, this.#cwd);
    const fields = { ...view, name: toolName, rawInput: args, status };
    const meta = parent === undefined ? {} : { _meta: { [META]: { parentToolCallId: parent } } };
    const call = this.#open.get(toolCallId);
    this.#open.set(toolCallId, { toolName, view, shown: call?.shown ?? [] });
    if (call !== undefined) this.#update(toolCallId, fields);
    else this.#feed.send({ sessionUpdate: "tool_call", toolCallId, ...fields, ...meta });
  }

  #update(toolCallId: string, fields: object): void {
    this.#feed.send({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }
}
