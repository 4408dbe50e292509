// The package's entry point for authors of extensions: the exports of `tiller/extension`.
import type { ToolDefinition } from "./api-tool.ts";

export type { ToolAnnotations, ToolExposure, ToolNamespace } from "../tools/tool-traits.ts";
export type { CommandDefinition, ExtensionAPI, FlagDefinition } from "./api.ts";
export type {
  AgentBeforeSettleEvent,
  BoundaryContext,
  BoundaryEntry,
  BoundaryResult,
  BoundaryState,
  TurnEndEvent,
} from "./api-boundary.ts";
export type { ExtensionContext } from "./api-context.ts";
export type { McpServerConfig, McpServersChangeEvent, RegisteredMcpServer } from "./api-mcp.ts";
export type { CallContext, CallOptions, ModelRegistryView } from "./api-models.ts";
export type { ModelOfProvider, ProviderDefinition, ProviderObject, StreamSimple } from "./api-provider.ts";
export type {
  NavigateTreeOptions,
  NavigateTreeResult,
  NewSessionOptions,
  SessionDraft,
  SessionView,
} from "./api-session.ts";
export type {
  ExecutedCall,
  ToolCallContext,
  ToolDefinition,
  ToolInfo,
  ToolLoadoutView,
  ToolResult,
} from "./api-tool.ts";
export type { ProjectTrustContext, ProjectTrustEvent } from "./api-trust.ts";
export type { ExtensionUi, UiDialogOptions, UiInputOptions } from "./api-ui.ts";
export type { ModelRoute, ModelRouteRequest, VirtualModelDefinition } from "./api-virtual-model.ts";
export type { ExtensionEvents, InputEvent, ToolCallEvent, ToolResultEvent } from "./extension-events.ts";
export type { MessageOfExtension, SendOptions, UserSendOptions } from "./send-options.ts";
export type { CompactionPreparation, TreePreparation } from "./session-events.ts";

/** Gives a tool back as it is; the compiler checks it where it is written. */
export function defineTool(tool: ToolDefinition): ToolDefinition {
  return tool;
}
