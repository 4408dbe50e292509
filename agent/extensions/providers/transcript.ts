import * as z from "zod";
import type { RequestContent } from "../../loop/loop-host.ts";
import { TextContent } from "../../protocol/content.ts";
import {
  type AgentMessage,
  AssistantMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  StopReason,
  ToolResultMessage,
  UserMessage,
} from "../../protocol/messages.ts";
import { Usage } from "../../protocol/model.ts";
import { ZERO_USAGE } from "../../providers/cost.ts";
import { toUserMessage } from "../../providers/prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "../../providers/provider.ts";

const Tool = z.object({
  name: z.string(),
  description: z.string().catch(""),
  parameters: z.record(z.string(), z.unknown()).catch({}),
  serverTool: z.enum(["search", "fetch"]).optional(),
});

/** A message that changes the instructions or the tools from its place on. */
const SystemMessage = z.object({
  role: z.literal("system"),
  content: z.union([z.string(), z.array(TextContent)]).catch(""),
  sections: z.record(z.string(), z.string().nullable()).optional(),
  toolsAdded: z.array(Tool).optional(),
  toolsRemoved: z.array(z.object({ name: z.string() })).optional(),
  timestamp: z.number().catch(0),
});
type SystemMessage = z.infer<typeof SystemMessage>;

const timestamp = z.number().catch(0);

/** Messages in the form that authors write: fields that only records need may be missing. */
const GivenMessage = z.discriminatedUnion("role", [
  UserMessage.extend({ timestamp }),
  ToolResultMessage.extend({ timestamp, isError: z.boolean().catch(false) }),
  AssistantMessage.extend({
    timestamp,
    api: z.string().catch(""),
    provider: z.string().catch(""),
    model: z.string().catch(""),
    usage: Usage.catch(ZERO_USAGE),
    stopReason: StopReason.catch("stop"),
  }),
  CustomMessage.extend({ timestamp, display: z.boolean().catch(true) }),
  CompactionSummaryMessage.extend({ timestamp }),
  BranchSummaryMessage.extend({ timestamp }),
  SystemMessage,
]);

const Given = z.object({
  systemPrompt: z.string().optional(),
  messages: z.array(GivenMessage),
  tools: z.array(Tool).optional(),
});

/** A request as far as its conversation goes. */
export interface Conversation {
  systemPrompt: string;
  messages: AgentMessage[];
  tools: ToolSpec[];
}

/** A conversation in the two shapes that extensions know: with a leading system message, and with fields of its own. */
export interface Transcript {
  systemPrompt?: string | undefined;
  tools?: ToolSpec[] | undefined;
  messages: { role: string }[];
}

/**
 * Reads a conversation that an extension gives.
 * @throws ZodError when it cannot be read.
 */
export function readConversation(context: unknown): Conversation {
  const { systemPrompt, tools, messages } = Given.parse(context);
  const system = replay(messages);
  const hasSystem = messages.some(({ role }) => role === "system");
  return {
    systemPrompt: hasSystem ? promptOf(system) : (systemPrompt ?? ""),
    tools: (hasSystem ? system.tools : (tools ?? [])).map(plainTool),
    messages: messages.flatMap((message) => (message.role === "system" ? [] : [message])),
  };
}

/** Returns a request in the form for an extension's own provider, which may change it. */
export function toTranscript({ systemPrompt, messages, tools }: ProviderRequest): Transcript {
  return normalizeContext({
    ...(systemPrompt === "" ? {} : { systemPrompt }),
    messages: structuredClone([...messages]),
    ...(tools.length === 0 ? {} : { tools: structuredClone([...tools]) }),
  });
}

/** Returns the messages of a request, in the roles that models know, after a leading system message. */
export function toRouterMessages({ systemPrompt, messages, tools }: RequestContent): { role: string }[] {
  const said = messages.flatMap((message): { role: string }[] =>
    message.role === "assistant" || message.role === "toolResult" ? [message] : [toUserMessage(message) ?? []].flat(),
  );
  return normalizeContext({ systemPrompt, messages: said, tools: [...tools] }).messages;
}

/** Puts instructions and tools into a leading system message, too. */
export function normalizeContext(context: Transcript): Transcript {
  const { systemPrompt = "", tools = [], messages } = context;
  if (messages[0]?.role === "system" || (systemPrompt === "" && tools.length === 0)) return context;
  const head = {
    role: "system",
    content: systemPrompt,
    ...(tools.length === 0 ? {} : { toolsAdded: tools }),
    timestamp: 0,
  };
  return { ...context, messages: [head, ...messages] };
}

/** The instructions that hold at the end. */
export function getCurrentSystemPrompt(messages: readonly unknown[]): string {
  return promptOf(replay(messages));
}

/** The tools that are there at the end. */
export function getCurrentTools(messages: readonly unknown[]): ToolSpec[] {
  return replay(messages).tools;
}

/** Makes one leading system message of all that there are. */
export function collapseSystemMessages(context: Transcript): Transcript {
  const system = replay(context.messages);
  const messages = context.messages.filter(({ role }) => role !== "system");
  if (messages.length === context.messages.length) return context;
  const { content, sections, tools } = system;
  const head = {
    role: "system",
    content: content.join("\n\n"),
    ...(sections.size === 0 ? {} : { sections: Object.fromEntries(sections) }),
    ...(tools.length === 0 ? {} : { toolsAdded: tools }),
    timestamp: 0,
  };
  return { ...context, messages: [head, ...messages] };
}

interface SystemState {
  content: string[];
  sections: Map<string, string>;
  tools: ToolSpec[];
}

function replay(messages: readonly unknown[]): SystemState {
  const content: string[] = [];
  const sections = new Map<string, string>();
  const tools = new Map<string, ToolSpec>();
  for (const message of messages) {
    const system = SystemMessage.safeParse(message);
    if (!system.success) continue;
    const text = textOf(system.data);
    if (text !== "") content.push(text);
    for (const [name, value] of Object.entries(system.data.sections ?? {})) {
      if (value === null) sections.delete(name);
      else sections.set(name, value);
    }
    for (const { name } of system.data.toolsRemoved ?? []) tools.delete(name);
    for (const tool of system.data.toolsAdded ?? []) tools.set(tool.name, tool);
  }
  return { content, sections, tools: [...tools.values()] };
}

function textOf({ content }: SystemMessage): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
}

function promptOf({ content, sections }: SystemState): string {
  return [...content, ...sections.values()].join("\n\n");
}

/** A schema of TypeBox carries marks of its own; models get plain JSON. */
function plainTool({ name, description, parameters }: ToolSpec): ToolSpec {
  return { name, description, parameters: { ...JSON.parse(JSON.stringify(parameters)) } };
}
