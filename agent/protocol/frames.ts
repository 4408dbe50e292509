import * as z from "zod";
import { UiRequest, UiResponse } from "./dialogs.ts";
import { ReadyFrame, ResponseFrame } from "./envelope.ts";
import { AgentEvent } from "./events.ts";
import { HostModelCancel, HostModelRequest, HostModelResult, HostModelUpdate } from "./host-models.ts";
import { HostSecretRequest, HostSecretResult } from "./host-secrets.ts";
import { HostToolCall, HostToolCancel, HostToolResult, HostToolUpdate } from "./host-tools.ts";

/** Every frame that the agent writes. */
export const AgentFrame = z.union([
  ResponseFrame,
  AgentEvent,
  UiRequest,
  HostToolCall,
  HostToolCancel,
  HostModelRequest,
  HostModelCancel,
  HostSecretRequest,
  ReadyFrame,
]);
export type AgentFrame = z.infer<typeof AgentFrame>;

/** The frames beside commands that a host writes. None of them is ever answered. */
export const ControlFrame = z.discriminatedUnion("type", [
  UiResponse,
  HostToolUpdate,
  HostToolResult,
  HostModelUpdate,
  HostModelResult,
  HostSecretResult,
]);
export type ControlFrame = z.infer<typeof ControlFrame>;
