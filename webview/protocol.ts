import * as z from "zod";

/**
 * What the extension host and the chat page say to each other. The host owns the transcript; the page only draws it. The page says
 * `ready`, gets a snapshot, then patches with consecutive revisions; after a gap it asks again. Both sides parse every message.
 */
export const PANEL_PROTOCOL_VERSION = 1;

const id = z.string();
const base = { id };

/** A picture in the conversation, as a `data:` address. */
export const PanelImage = z.object({ src: z.string().startsWith("data:image/"), alt: z.string() });
export type PanelImage = z.infer<typeof PanelImage>;

/** What the user said. */
export const PromptItem = z.object({
  ...base,
  kind: z.literal("prompt"),
  text: z.string(),
  images: z.array(PanelImage),
});
/** What the model said: Markdown, growing while `isStreaming`. */
export const TextItem = z.object({ ...base, kind: z.literal("text"), text: z.string(), isStreaming: z.boolean() });
/** What the model thought. `durationMs` is known when it is done. */
export const ThinkingItem = z.object({
  ...base,
  kind: z.literal("thinking"),
  text: z.string(),
  isStreaming: z.boolean(),
  durationMs: z.number().optional(),
});
export const ToolState = z.enum(["preparing", "running", "done", "failed", "cancelled"]);
export type ToolState = z.infer<typeof ToolState>;
/** A part of a line of a diff that changed; `start` and `end` are UTF-16 units from the start of the line, `line` counts from 0. */
export const ChangedWords = z.object({ line: z.int(), start: z.int(), end: z.int() });
export type ChangedWords = z.infer<typeof ChangedWords>;
/** One tool call. `intent` is one line; `input` is what would be run or changed; `output` is the tail of what came of it. */
export const ToolItem = z.object({
  ...base,
  kind: z.literal("tool"),
  toolName: z.string(),
  state: ToolState,
  intent: z.string(),
  input: z.string(),
  inputLanguage: z.string().optional(),
  output: z.string(),
  isOutputCut: z.boolean(),
  diff: z.string().optional(),
  /** What changed within the lines of `diff`. */
  words: z.array(ChangedWords).optional(),
  /** With what a command ended that did not end well. */
  exitCode: z.int().optional(),
  images: z.array(PanelImage),
  /** A command of the user's own, which can be stopped while it runs. */
  canStop: z.boolean().optional(),
  /** Absolute path of the file that the call is about, for a link. */
  path: z.string().optional(),
  durationMs: z.number().optional(),
});
export type ToolItem = z.infer<typeof ToolItem>;
/** A line that nobody said: notifications, errors, what became of the run. */
export const NoticeItem = z.object({
  ...base,
  kind: z.literal("notice"),
  level: z.enum(["info", "warning", "error"]),
  text: z.string(),
  /** More lines, folded away. */
  detail: z.string().optional(),
  /** A button under the text, run by the host. */
  action: z.object({ label: z.string(), command: z.string() }).optional(),
});
/**
 * What a question about a tool call is made of. `once`, `deny`, `change` and each `option` are answers as the agent wants them; `code` is
 * what would be run or changed, `reasons` why the agent asks, and `rules` what can be allowed beyond this call.
 */
export const Approval = z.object({
  toolName: z.string(),
  subject: z.string(),
  code: z.string(),
  codeLanguage: z.string().optional(),
  reasons: z.array(z.string()),
  once: z.string(),
  deny: z.string(),
  change: z.string().optional(),
  rules: z.array(z.object({ scope: z.enum(["session", "workspace", "always"]), text: z.string(), option: z.string() })),
});
export type Approval = z.infer<typeof Approval>;

/** A question that the agent asked; answerable here, or in the editor's own dialogs. */
export const QuestionItem = z.object({
  ...base,
  kind: z.literal("question"),
  requestId: z.string(),
  method: z.enum(["select", "confirm", "input", "editor"]),
  title: z.string(),
  message: z.string().optional(),
  options: z.array(z.string()),
  placeholder: z.string().optional(),
  prefill: z.string().optional(),
  /** Unix time in ms after which the agent goes on without an answer. */
  deadline: z.number().optional(),
  state: z.enum(["pending", "answered", "cancelled", "timedOut"]),
  /** What was answered, for people. */
  answer: z.string().optional(),
  /** Set when the question is whether a tool may run. */
  approval: Approval.optional(),
});
export type QuestionItem = z.infer<typeof QuestionItem>;
const NO_WORDS: ReadonlySet<string> = new Set(["cancel", "deny", "no", "reject"]);

/** Whether a question has a no among its answers, so that whoever shows it need not add one. */
export function offersNo(options: readonly string[]): boolean {
  return options.some((option) => NO_WORDS.has(option.toLowerCase()));
}

/** Facts at the end of an answer: time, tokens, money. Parts that are unknown are absent. */
export const FooterItem = z.object({
  ...base,
  kind: z.literal("footer"),
  model: z.string(),
  durationMs: z.number().optional(),
  inputTokens: z.int().optional(),
  outputTokens: z.int().optional(),
  cacheReadTokens: z.int().optional(),
  cacheWriteTokens: z.int().optional(),
  costUsd: z.number().optional(),
});
/** A long job of the agent's own: waiting to retry, making room in the context. */
export const ActivityItem = z.object({
  ...base,
  kind: z.literal("activity"),
  activity: z.enum(["retry", "compaction"]),
  text: z.string(),
  isRunning: z.boolean(),
  detail: z.string().optional(),
  /** Unix time in ms at which the model is asked again. */
  until: z.number().optional(),
});

/** One thing in the conversation, in the order of the list. Immutable: a change is a new item with the same id. */
export const TranscriptItem = z.discriminatedUnion("kind", [
  PromptItem,
  TextItem,
  ThinkingItem,
  ToolItem,
  NoticeItem,
  QuestionItem,
  FooterItem,
  ActivityItem,
]);
export type TranscriptItem = z.infer<typeof TranscriptItem>;

/** What the agent process is doing. */
export const AgentStatus = z.enum([
  "untrusted",
  "noFolder",
  "stopped",
  "starting",
  "idle",
  "running",
  "stopping",
  "crashed",
]);
export type AgentStatus = z.infer<typeof AgentStatus>;

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

/** Where a message waits: its queue, its place counted from 0, and its text as the queue lists it. */
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

/** How much of the cards is open by itself. */
export const Density = z.enum(["compact", "normal", "open"]);
export type Density = z.infer<typeof Density>;

/** Everything around the conversation. */
export const PanelUi = z.object({
  status: AgentStatus,
  /** A line above the composer about the set-up, such as which model answers without a key. */
  banner: z
    .object({ text: z.string(), action: z.object({ label: z.string(), command: z.string() }).optional() })
    .optional(),
  /** What is missing before Tiller can be used, shown where the conversation will be. `text` is for people. */
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
  /** What the agent may do without asking; `hint` is a sentence. */
  mode: z.object({ label: z.string(), icon: z.string(), hint: z.string() }),
  /** Tokens in the model's context after the last answer, and how many fit; absent while unknown. */
  contextTokens: z.int().optional(),
  contextWindow: z.int().optional(),
  /** History is being summarised. */
  isCompacting: z.boolean().optional(),
  /** What the session has cost, in US dollars, where prices are known, and what it may cost. */
  costUsd: z.number().optional(),
  costLimitUsd: z.number().optional(),
  steering: z.array(z.string()),
  followUp: z.array(z.string()),
  plan: Plan.optional(),
  widgets: z.array(Widget),
  statuses: z.array(z.object({ key: z.string(), text: z.string() })),
  /** Whether the model sees pictures; absent while unknown. */
  acceptsImages: z.boolean().optional(),
  /** How large a picture may be that is sent, in bytes; larger ones are made smaller. */
  maxImageBytes: z.int().positive().optional(),
  sendOnEnter: z.boolean(),
  density: Density.optional(),
  /** What Enter does while the agent works; Alt+Enter does the other. */
  whileRunning: z.enum(["steer", "followUp"]),
});
export type PanelUi = z.infer<typeof PanelUi>;

/** One change of the transcript. */
export const PatchOp = z.discriminatedUnion("op", [
  /** Adds to the `text` of a text or thinking item, or to the `input` of a tool call that is still being prepared. */
  z.object({ op: z.literal("append"), id, text: z.string() }),
  /** The text or thinking item has all its text and streams no more. */
  z.object({ op: z.literal("finish"), id, durationMs: z.number().optional() }),
  /** Replaces the item with that id, or adds it at the end. */
  z.object({ op: z.literal("upsert"), item: TranscriptItem }),
  z.object({ op: z.literal("remove"), ids: z.array(id) }),
]);
export type PatchOp = z.infer<typeof PatchOp>;

/** The kinds of pictures that models take. */
export const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageType = z.infer<typeof ImageType>;
/** Most things that one message carries. */
export const MAX_ATTACHMENTS = 20;
/** A picture for the next message; `data` is base64, `note` says what was done to it. */
export const ImageAttachment = z.object({
  kind: z.literal("image"),
  id,
  name: z.string(),
  mimeType: ImageType,
  data: z.string(),
  note: z.string(),
});
export type ImageAttachment = z.infer<typeof ImageAttachment>;
/** Something that belongs to the next message. A pasted text stands in the message where its `mark` is. */
export const Attachment = z.discriminatedUnion("kind", [
  ImageAttachment,
  z.object({ kind: z.literal("text"), id, mark: z.string(), text: z.string() }),
]);
export type Attachment = z.infer<typeof Attachment>;
const attachments = z.array(Attachment).max(2 * MAX_ATTACHMENTS);

/**
 * What stands in the composer, kept on both sides; `at` is the Unix time in ms of the last change, so that the newer one wins. `chat` says
 * whose draft it is: a page may be given another conversation. It is empty where the page does not know yet.
 */
export const DraftCopy = z.object({
  chat: z.string().default(""),
  text: z.string(),
  at: z.number(),
  attachments: attachments.optional(),
});
export type DraftCopy = z.infer<typeof DraftCopy>;

/** What fills the model's window, in tokens; the first two are estimates. What is not known is absent. */
export const ContextParts = z.object({
  systemPrompt: z.int().optional(),
  tools: z.int().optional(),
  conversation: z.int().optional(),
  free: z.int().optional(),
});
export type ContextParts = z.infer<typeof ContextParts>;

/** What the editor can put into a message. */
export const ContextKind = z.enum(["problems", "selection", "git"]);
export type ContextKind = z.infer<typeof ContextKind>;
/** Something to be mentioned: `insert` is its text; with `context` it is asked for by `takeContext` instead. */
export const PanelMention = z.object({
  insert: z.string(),
  label: z.string(),
  detail: z.string(),
  isFolder: z.boolean(),
  context: ContextKind.optional(),
});
export type PanelMention = z.infer<typeof PanelMention>;

/** Host → page. */
export const ToPanel = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("snapshot"),
    version: z.int(),
    revision: z.int(),
    items: z.array(TranscriptItem),
    ui: PanelUi,
    draft: DraftCopy,
  }),
  /** Applies to revision `revision - 1` only. */
  z.object({ type: z.literal("patch"), revision: z.int(), ops: z.array(PatchOp), ui: PanelUi.optional() }),
  /** Puts text into the composer, in place of what is there or behind it; and attachments, in the same way. */
  z.object({
    type: z.literal("setDraft"),
    text: z.string(),
    mode: z.enum(["replace", "append"]),
    attachments: attachments.optional(),
  }),
  /** Moves the keyboard into the composer: only after the user asked for it. */
  z.object({ type: z.literal("focusComposer") }),
  /** Opens the bar that searches the conversation. */
  z.object({ type: z.literal("find") }),
  /** Puts the keyboard on an item, and the item into sight. */
  z.object({ type: z.literal("reveal"), id }),
  /** The answer to `findFiles`; `target` is the file for people, or null when there is none. */
  z.object({ type: z.literal("files"), files: z.array(z.object({ path: z.string(), target: z.string().nullable() })) }),
  /** The answer to `readContext`. */
  z.object({ type: z.literal("contextParts"), parts: ContextParts }),
  /** The answer to `listCommands`. */
  z.object({ type: z.literal("commands"), commands: z.array(PanelCommand) }),
  /** The answer to `listHistory`: what was sent in this workspace, the latest first. */
  z.object({ type: z.literal("history"), entries: z.array(z.string()) }),
  /** The answer to `listMentions`. What is picked takes the place of the text from `start` to `end`; empty when the caret is in no mention. */
  z.object({
    type: z.literal("mentions"),
    request: z.int(),
    start: z.int(),
    end: z.int(),
    matches: z.array(PanelMention),
  }),
  /** The answer to `takeContext`, and to a drop: goes into the message where the caret is, as a chip when it has a name. */
  z.object({ type: z.literal("insert"), text: z.string(), name: z.string().optional() }),
]);
export type ToPanel = z.infer<typeof ToPanel>;

/** What the user answers to a question. */
export const PanelAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("value"), value: z.string() }),
  z.object({ type: z.literal("confirmed"), confirmed: z.boolean() }),
  z.object({ type: z.literal("cancelled") }),
]);
export type PanelAnswer = z.infer<typeof PanelAnswer>;

/** Commands that buttons of the page may run. */
export const PANEL_COMMANDS = [
  "tiller.newSession",
  "tiller.continueRun",
  "tiller.pickModel",
  "tiller.pickPermissionMode",
  "tiller.pickThinkingLevel",
  "tiller.setApiKey",
  "tiller.raiseCostLimit",
  "tiller.restartAgent",
  "tiller.showLog",
  "tiller.manageTrust",
  "tiller.openFolder",
  "tiller.openSettings",
] as const;

/** Page → host. */
export const FromPanel = z.discriminatedUnion("type", [
  /** The page is there, or has seen a gap: send a snapshot. */
  z.object({ type: z.literal("ready"), version: z.int(), revision: z.int().nullable() }),
  /** The page clears its composer; when the agent refuses the text, the host puts it back with `setDraft`. */
  z.object({
    type: z.literal("send"),
    text: z.string(),
    whileRunning: z.enum(["steer", "followUp"]),
    images: z.array(ImageAttachment).max(MAX_ATTACHMENTS).optional(),
    /** The prompt that it takes the place of: the conversation goes on from there in a new session. The draft stays. */
    editOf: id.optional(),
  }),
  z.object({ type: z.literal("stop") }),
  /** Ends the shell command of the user's that runs. */
  z.object({ type: z.literal("stopShell") }),
  /** Ends a long job of the agent's own: no more attempts, or no summary. */
  z.object({ type: z.literal("stopActivity"), activity: z.enum(["retry", "compaction"]) }),
  /** Takes the queued messages back into the composer. */
  z.object({ type: z.literal("clearQueue") }),
  z.object({ type: z.literal("editQueue"), edit: QueueEdit }),
  z.object({ type: z.literal("draft"), chat: z.string(), text: z.string() }),
  /** What belongs to the draft beside its text has changed. */
  z.object({ type: z.literal("attachments"), chat: z.string(), attachments }),
  /** The keyboard is in this page. */
  z.object({ type: z.literal("focused") }),
  /** Wants to know what fills the window. */
  z.object({ type: z.literal("readContext") }),
  /** Puts a summary in place of old history; `instructions` may be empty. */
  z.object({ type: z.literal("compact"), instructions: z.string() }),
  /** Wants the slash commands of this moment. */
  z.object({ type: z.literal("listCommands") }),
  /** Opens the draft as a document, from which it is put back. */
  z.object({ type: z.literal("editInEditor"), text: z.string() }),
  /** Wants what fits the mention that the caret is in. */
  z.object({ type: z.literal("listMentions"), request: z.int(), text: z.string(), caret: z.int().nonnegative() }),
  /** Wants something of the editor for the message. */
  z.object({ type: z.literal("takeContext"), kind: ContextKind }),
  /** Files and folders were dropped. */
  z.object({ type: z.literal("dropUris"), uris: z.array(z.string()).max(50) }),
  /** Wants what was sent in this workspace. */
  z.object({ type: z.literal("listHistory") }),
  z.object({ type: z.literal("editPlan"), edit: PlanEdit }),
  z.object({ type: z.literal("answer"), requestId: z.string(), answer: PanelAnswer }),
  z.object({ type: z.literal("openLink"), href: z.string() }),
  z.object({
    type: z.literal("openFile"),
    path: z.string(),
    line: z.int().positive().optional(),
    column: z.int().positive().optional(),
  }),
  /** Wants to know which names are files; the answer is `files`. */
  z.object({ type: z.literal("findFiles"), paths: z.array(z.string().max(300)).max(200) }),
  /** Shows the whole input and output of a tool call in an editor. */
  z.object({ type: z.literal("openTool"), id }),
  /** Shows an edit in the editor's own comparison. */
  z.object({ type: z.literal("openDiff"), id }),
  /** Opens or saves a picture of an item. */
  z.object({ type: z.literal("image"), action: z.enum(["open", "save"]), id, index: z.int().nonnegative() }),
  z.object({ type: z.literal("copy"), text: z.string() }),
  /** Does something with a block of code; `files` are the names that it may belong to, the likeliest first. */
  z.object({
    type: z.literal("codeAction"),
    action: z.enum(["insert", "apply", "newFile", "terminal"]),
    code: z.string(),
    language: z.string(),
    files: z.array(z.string()).max(6),
  }),
  z.object({ type: z.literal("command"), command: z.enum(PANEL_COMMANDS) }),
  /** Something broke in the page; goes to the log. */
  z.object({ type: z.literal("pageError"), message: z.string() }),
]);
export type FromPanel = z.infer<typeof FromPanel>;
