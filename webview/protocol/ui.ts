import * as z from "zod";
import { ContextAttachment } from "./context.ts";
import { Delivery } from "./draft.ts";

const id = z.string();

/** The status of a chat, for the connection, the page, the lists of chats, and the status bar. */
export const ChatStatus = z.enum([
  "untrusted",
  "noFolder",
  "stopped",
  "starting",
  "idle",
  "running",
  "stopping",
  "crashed",
  /** A question waits for the user. */
  "asking",
  /** A run has ended while the chat was not visible. */
  "done",
]);
export type ChatStatus = z.infer<typeof ChatStatus>;

/** The status of the agent. The page knows pending questions from its items. */
export const AgentStatus = ChatStatus.exclude(["asking", "done"]);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** True while the agent starts, works or stops. */
export function isAtWork(status: ChatStatus): boolean {
  return status === "starting" || status === "running" || status === "stopping";
}

/** Lines of an extension near the composer. */
export const Widget = z.object({ key: z.string(), lines: z.array(z.string()), placement: z.enum(["above", "below"]) });
export type Widget = z.infer<typeof Widget>;

/** One task of the plan; one whose text `isCut` cannot be renamed. */
export const PlanTask = z.object({
  id,
  text: z.string(),
  state: z.enum(["pending", "in_progress", "completed", "abandoned"]),
  isCut: z.boolean().optional(),
});
export type PlanTask = z.infer<typeof PlanTask>;
/** The plan as far as the page shows it; `hiddenTasks` more are left out. */
export const Plan = z.object({
  phases: z.array(z.object({ id, name: z.string(), tasks: z.array(PlanTask) })),
  hiddenTasks: z.int(),
});
export type Plan = z.infer<typeof Plan>;

/** One thing that the user does to the plan. The host applies it to the plan as the agent has it at that moment. */
export const PlanEdit = z.discriminatedUnion("op", [
  z.object({ op: z.literal("check"), taskId: id, isDone: z.boolean() }),
  /** Without `phaseId`, or when that phase is gone, the task goes to the last one. */
  z.object({ op: z.literal("add"), phaseId: id.optional(), text: z.string().min(1) }),
  /** A task that is gone by then is added again: what the user wrote is not lost. */
  z.object({ op: z.literal("rename"), taskId: id, phaseId: id, text: z.string().min(1) }),
  z.object({ op: z.literal("remove"), taskId: id }),
  /** Puts the task before or behind its neighbour in the phase. */
  z.object({ op: z.literal("move"), taskId: id, by: z.literal([-1, 1]) }),
]);
export type PlanEdit = z.infer<typeof PlanEdit>;

/** The place of a queued message: its queue, its 0-based index, and its text as the queue lists it. */
const queuePlace = { queue: z.enum(["steering", "followUp"]), index: z.int().nonnegative(), label: z.string() };
/** One thing that the user does to a message that waits. The host applies it to the queue as the agent has it at that moment. */
export const QueueEdit = z.discriminatedUnion("op", [
  z.object({ op: z.literal("remove"), ...queuePlace }),
  z.object({ op: z.literal("replace"), ...queuePlace, text: z.string().min(1) }),
  z.object({ op: z.literal("move"), ...queuePlace, by: z.literal([-1, 1]) }),
  /** From steering to follow-up, or the other way; it becomes the last there. */
  z.object({ op: z.literal("switch"), ...queuePlace }),
]);
export type QueueEdit = z.infer<typeof QueueEdit>;

const commandTexts = { name: z.string(), description: z.string(), source: z.string(), argumentHint: z.string() };
/** A slash command for the list over the composer, without the slash. `source` says where it comes from, for people. */
export const PanelCommand = z.object(commandTexts);
export type PanelCommand = z.infer<typeof PanelCommand>;

/** Which cards are expanded by default. */
export const Density = z.enum(["compact", "normal", "open"]);
export type Density = z.infer<typeof Density>;

/** Everything around the conversation. */
export const PanelUi = z.object({
  status: AgentStatus,
  /** Unix time in ms since which the agent is at work; absent while it is not. */
  runningSince: z.number().optional(),
  /** The agent's activity, if it isn't the answer. */
  work: z.string().optional(),
  /** The chat is not saved. */
  isTemporary: z.boolean().optional(),
  /** The command lines of what runs in the background. */
  background: z.array(z.string()).optional(),
  /** The files with changes to be reviewed, and their lines; absent without any. */
  changes: z.object({ files: z.int(), added: z.int(), removed: z.int() }).optional(),
  /** A line above the composer about the set-up, such as which model answers without a key. */
  banner: z
    .object({
      text: z.string(),
      action: z.object({ label: z.string(), command: z.string() }).optional(),
      /** True if the user may hide it. */
      canDismiss: z.boolean().optional(),
    })
    .optional(),
  /** The missing requirement that the empty chat shows. `text` is for people. */
  setup: z
    .object({
      kind: z.enum(["noKey", "noModel", "noAgent"]),
      text: z.string(),
      action: z.object({ label: z.string(), command: z.string() }),
    })
    .optional(),
  modelLabel: z.string(),
  thinkingLevel: z.string(),
  hasThinking: z.boolean(),
  /** The permission mode; `hint` is a sentence. */
  mode: z.object({ label: z.string(), icon: z.string(), hint: z.string() }),
  /** Tokens in the model's context after the last answer, and how many fit; absent while unknown. */
  contextTokens: z.int().optional(),
  contextWindow: z.int().optional(),
  /** History is being summarised. */
  isCompacting: z.boolean().optional(),
  /** The time at which the provider's cache of the chat expires, in Unix ms, and the cost of the next message after that, in US dollars. */
  cache: z.object({ expiresAt: z.number(), rereadUsd: z.number() }).optional(),
  /** The reason why the last answer did not come from the cache, for people. */
  cacheNote: z.string().optional(),
  /** The cost of the session in US dollars, if prices are known, and its limit. */
  costUsd: z.number().optional(),
  costLimitUsd: z.number().optional(),
  /** The user's own words of the messages that wait. */
  steering: z.array(z.string()),
  followUp: z.array(z.string()),
  /** The names of their attachments, if there are any. */
  queueChips: z.object({ steering: z.array(z.array(z.string())), followUp: z.array(z.array(z.string())) }).optional(),
  /** The editor's suggestion for the next message; if `isTaken`, it is attached unless the user removes it. */
  suggestion: z.object({ contexts: z.array(ContextAttachment), isTaken: z.boolean() }).optional(),
  /** True if the editor shows what the agent reads and changes; absent where that cannot be chosen. */
  follow: z.enum(["off", "on", "paused"]).optional(),
  /** The number of comments on lines that are not sent yet. */
  lineComments: z.int().nonnegative().optional(),
  /** The folder of the agent, if the window has several. */
  folder: z.string().optional(),
  plan: Plan.optional(),
  /** The title of the plan that waits for the user's decision. */
  proposedPlan: z.string().optional(),
  widgets: z.array(Widget),
  statuses: z.array(z.object({ key: z.string(), text: z.string() })),
  /** True if the model sees images; absent while unknown. */
  acceptsImages: z.boolean().optional(),
  /** The maximum size of an image in bytes; larger images are scaled down. */
  maxImageBytes: z.int().positive().optional(),
  /** Fonts that the user has set for chats, sizes in CSS pixels; without them the editor's count. */
  fonts: z
    .object({
      size: z.number().optional(),
      family: z.string().optional(),
      codeSize: z.number().optional(),
      codeFamily: z.string().optional(),
      codeWeight: z.string().optional(),
    })
    .optional(),
  sendOnEnter: z.boolean(),
  /** Something was said before the first item: the page may ask for it. */
  hasEarlier: z.boolean().optional(),
  /** The chat is a replay, so it is read-only. */
  isReadOnly: z.boolean().optional(),
  density: Density.optional(),
  /** How Enter delivers a message during a run; Alt+Enter does the other. */
  whileRunning: Delivery,
});
export type PanelUi = z.infer<typeof PanelUi>;
