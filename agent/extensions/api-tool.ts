import type { InputContent } from "../protocol/content.ts";
import type { ExtensionContext } from "./api-context.ts";

/** The result of a tool of an extension. */
export interface ToolResult {
  content: InputContent[];
  details?: unknown;
  /** If true for every result of a batch, the run ends without another request to the model. */
  terminate?: boolean;
}

/** A tool as an author writes it. `parameters` is a JSON Schema, or what TypeBox makes. */
export interface ToolDefinition {
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
  /** The name of what the tool comes from, such as a server, for the model; by default, that of the extension. */
  source?: string;
  /** Repairs the model's arguments before they are checked. */
  prepareArguments?(args: unknown): unknown;
  /** @throws Error whose message is what the model reads. */
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
    ctx: ExtensionContext,
  ): ToolResult | Promise<ToolResult>;
}
