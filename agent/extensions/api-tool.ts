import type { InputContent } from "../protocol/content.ts";
import type { Usage } from "../protocol/model.ts";
import type { LoadoutChanges } from "../tools/tool.ts";
import type { ToolExposure, ToolNamespace, ToolTraits } from "../tools/tool-traits.ts";
import type { ExtensionContext } from "./api-context.ts";

/** The result of a tool of an extension. */
export interface ToolResult {
  content: InputContent[];
  details?: unknown;
  /** The structured result for other tools, as `outputSchema` describes it. Put large values here, because only `content` costs tokens. */
  structuredContent?: unknown;
  /** The usage of the tool's own requests to models, which is added to the session's. */
  usage?: Usage | undefined;
  /** True if the call failed. Unlike with a thrown error, the result keeps its other fields. */
  isError?: boolean | undefined;
  /** If true for every result of a batch, the run ends without another request to the model. */
  terminate?: boolean | undefined;
}

/** Information about a tool, active or not. */
export interface ToolInfo extends ToolTraits {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  promptGuidelines?: readonly string[];
  /** True if the tool is active but the model has to search for it first. */
  deferred?: boolean;
  /** The origin of the tool; `source` is `builtin`, `extension`, or `host`. */
  sourceInfo: { path: string; source: string; scope: "temporary"; origin: "top-level" };
}

/** The tools of a session. */
export interface ToolLoadoutView {
  /** The tools that the model is told of, with their own descriptions. */
  readonly declared: readonly ToolInfo[];
  /** The tools that others can call. */
  readonly callable: readonly ToolInfo[];
  readonly registered: readonly ToolInfo[];
  getExposure(name: string): ToolExposure;
  getNamespace(name: string): ToolNamespace | undefined;
  getPromptGuidelines(name: string): readonly string[];
}

/** A call that a tool made, and its outcome. */
export interface ExecutedCall {
  toolCall: { type: "toolCall"; id: string; name: string; arguments: Record<string, unknown> };
  result: ToolResult;
  isError: boolean;
  /** Absent when the tool did not run. */
  durationMs?: number;
}

/** The context of a running tool, which can call other tools. */
export interface ToolCallContext extends ExtensionContext {
  /** The tools that this one can call: the active ones, except those that only the model may call. */
  readonly tools: readonly ToolInfo[];
  /**
   * Runs another tool with the same checks, events, and approvals as a call of the model. Never rejects: a failure is a result with `isError`. The
   * call isn't part of the conversation.
   */
  executeTool(
    name: string,
    args: unknown,
    options?: {
      /** Default: the signal of the calling tool. */
      signal?: AbortSignal | undefined;
      onUpdate?: ((partial: ToolResult) => void) | undefined;
    },
  ): Promise<ExecutedCall>;
}

/** A tool as an author writes it. `parameters` is a JSON Schema, or what TypeBox makes. */
export interface ToolDefinition extends ToolTraits {
  name: string;
  label?: string;
  description: string;
  parameters?: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  /** "sequential" is the older word for "exclusive". */
  executionMode?: "sequential" | "parallel";
  concurrency?: "shared" | "exclusive";
  /** False hides the tool from the model until it is activated. */
  defaultActive?: boolean;
  /** True lets the tool run without asking the user: it changes nothing. */
  readOnly?: boolean;
  /** Returns false while the tool can't be called. Requests may still declare it, so that the provider can use its cache. */
  isOffered?(): boolean;
  /** The tool's origin as shown to the model, such as the name of a server. Default: the name of the extension. */
  source?: string;
  /** Changes what the model is told of the tools while this one is active; called when the tools change. */
  prepareLoadout?(loadout: ToolLoadoutView): LoadoutChanges | undefined;
  /** Repairs the model's arguments before they are checked. */
  prepareArguments?(args: unknown): unknown;
  /** @throws Error whose message is what the model reads. */
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
    ctx: ToolCallContext,
  ): ToolResult | Promise<ToolResult>;
}
