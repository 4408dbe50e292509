// The package's door for other hosts: what can be imported from `tiller/client`. Nothing inside the repository imports it.
export type { CommandInput, CommandResult, CommandType } from "../protocol/commands.ts";
export type { InputContent } from "../protocol/content.ts";
export type { AgentEvent, AgentEventType } from "../protocol/events.ts";
export type {
  HostModelDefinition,
  HostModelMessage,
  HostModelPart,
  HostModelRequest,
  HostModelTool,
  HostModelUsage,
} from "../protocol/host-models.ts";
export type { HostToolDefinition } from "../protocol/host-tools.ts";
export type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
export type { ModelErrorKind } from "../protocol/model.ts";
export {
  AgentExited,
  AgentNotStarted,
  ConnectionClosed,
  RequestFailed,
  RequestTimeout,
  UnreadableAnswer,
} from "./client-errors.ts";
export type { CallOptions, CommandMethods } from "./command-methods.ts";
export { type CustomModel, type CustomModelCall, type CustomModelPart, ModelFailed } from "./custom-models.ts";
export type { CustomTool, CustomToolCall, CustomToolResult } from "./custom-tools.ts";
export type { DialogCallbacks, EditedChoice, UiNotice } from "./dialog-answers.ts";
export type { EventOf } from "./event-hub.ts";
export { EventsUnread } from "./event-queue.ts";
export type { RpcProblem } from "./frame-client.ts";
export type { RunResult } from "./run-watch.ts";
export { startTiller, type TillerClient, type TillerOptions } from "./tiller-client.ts";
export type {
  HostToolCallV1,
  HostToolHandlerV1,
  HostToolResultV1,
  HostToolV1,
  PromptOptions,
  PromptResult,
  TillerApiV1,
  TillerDisposable,
  TillerErrorCode,
  TillerEvent,
  TillerExports,
  TillerSession,
} from "./vscode-api.ts";
