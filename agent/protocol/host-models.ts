import * as z from "zod";
import { AssistantContent, InputContent } from "./content.ts";
import { ModelErrorKind, ThinkingLevel } from "./model.ts";

/** The `api` of models that the host brings. */
export const HOST_MODEL_API = "host";

/** A model that the host can ask. Sizes count tokens. */
export const HostModelDefinition = z.lazy(() =>
  z.object({
    id: z.string().trim().min(1),
    name: z.string().optional(),
    contextWindow: z.int().positive().optional(),
    maxTokens: z.int().positive().optional(),
    input: z.array(z.enum(["text", "image"])).optional(),
    reasoning: z.boolean().optional(),
    tools: z.boolean().optional(),
  }),
);
export type HostModelDefinition = z.infer<typeof HostModelDefinition>;

/** A message of the context, with nothing in it but what a model is to read. */
export const HostModelMessage = z.lazy(() =>
  z.discriminatedUnion("role", [
    z.object({ role: z.literal("user"), content: z.array(InputContent) }),
    z.object({ role: z.literal("assistant"), content: z.array(AssistantContent) }),
    z.object({
      role: z.literal("toolResult"),
      toolCallId: z.string(),
      toolName: z.string(),
      content: z.array(InputContent),
      isError: z.boolean(),
    }),
  ]),
);
export type HostModelMessage = z.infer<typeof HostModelMessage>;

/** A tool that the model may call; `parameters` is a JSON Schema object. */
export const HostModelTool = z.lazy(() =>
  z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
);
export type HostModelTool = z.infer<typeof HostModelTool>;

/** Agent → host: ask one of your models for one answer. */
export const HostModelRequest = z.lazy(() =>
  z.object({
    type: z.literal("host_model_request"),
    id: z.string(),
    modelId: z.string(),
    systemPrompt: z.string(),
    messages: z.array(HostModelMessage),
    tools: z.array(HostModelTool),
    thinkingLevel: ThinkingLevel,
    maxTokens: z.int().optional(),
  }),
);
export type HostModelRequest = z.infer<typeof HostModelRequest>;

/** Agent → host: the answer to the request with `targetId` is no longer wanted. */
export const HostModelCancel = z.lazy(() =>
  z.object({
    type: z.literal("host_model_cancel"),
    id: z.string(),
    targetId: z.string(),
  }),
);
export type HostModelCancel = z.infer<typeof HostModelCancel>;

/** A piece of an answer. Pieces of text that follow each other are one text; a tool call comes whole. */
export const HostModelPart = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("thinking"), thinking: z.string() }),
    z.object({
      type: z.literal("toolCall"),
      id: z.string().min(1),
      name: z.string().min(1),
      arguments: z.record(z.string(), z.unknown()),
    }),
  ]),
);
export type HostModelPart = z.infer<typeof HostModelPart>;

/** Host → agent: what the model has said since the last update, in order. */
export const HostModelUpdate = z.lazy(() =>
  z.object({
    type: z.literal("host_model_update"),
    id: z.string(),
    parts: z.array(HostModelPart),
  }),
);
export type HostModelUpdate = z.infer<typeof HostModelUpdate>;

/** The token usage of an answer, if the host knows it. */
export const HostModelUsage = z.lazy(() =>
  z.object({
    input: z.int().nonnegative(),
    output: z.int().nonnegative(),
    cacheRead: z.int().nonnegative().optional(),
    cacheWrite: z.int().nonnegative().optional(),
  }),
);
export type HostModelUsage = z.infer<typeof HostModelUsage>;

/** Host → agent: the answer is complete, or has failed when there is an `error`, which is for people. */
export const HostModelResult = z.lazy(() =>
  z.object({
    type: z.literal("host_model_result"),
    id: z.string(),
    stopReason: z.enum(["stop", "length", "toolUse"]).optional(),
    usage: HostModelUsage.optional(),
    error: z.string().optional(),
    errorKind: ModelErrorKind.optional(),
    status: z.int().optional(),
    retryAfterMs: z.number().nonnegative().optional(),
  }),
);
export type HostModelResult = z.infer<typeof HostModelResult>;
