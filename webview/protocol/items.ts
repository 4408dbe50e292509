import * as z from "zod";
import { ContextAttachment } from "./context.ts";

const id = z.string();
const base = { id };

/** An image in the conversation, as a `data:` address. */
export const PanelImage = z.object({ src: z.string().startsWith("data:image/"), alt: z.string() });
export type PanelImage = z.infer<typeof PanelImage>;

/** A message of the user, with its attachments. */
export const PromptItem = z.object({
  ...base,
  kind: z.literal("prompt"),
  text: z.string(),
  images: z.array(PanelImage),
  sent: z.array(ContextAttachment).optional(),
});
/** Text of the model: Markdown that grows while `isStreaming`. */
export const TextItem = z.object({ ...base, kind: z.literal("text"), text: z.string(), isStreaming: z.boolean() });
/** Thinking of the model. `durationMs` is known at its end. */
export const ThinkingItem = z.object({
  ...base,
  kind: z.literal("thinking"),
  text: z.string(),
  isStreaming: z.boolean(),
  durationMs: z.number().optional(),
});
/** A call is written by the model, waits for its turn or for the user, runs, and ends. */
export const ToolState = z.enum(["preparing", "queued", "waiting", "running", "done", "failed", "denied", "cancelled"]);
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
  /** The words for what the call does, in its state; `{0}` stands for `intent`. */
  phrase: z.string().optional(),
  /** Calls that only look fold into one line, and so do edits; absent when the call stands alone. */
  part: z.enum(["file", "folder", "search", "command", "edit"]).optional(),
  /** How the user decided about the call. */
  note: z.string().optional(),
  input: z.string(),
  inputLanguage: z.string().optional(),
  output: z.string(),
  isOutputCut: z.boolean(),
  diff: z.string().optional(),
  /** The changed words in the lines of `diff`. */
  words: z.array(ChangedWords).optional(),
  /** With what a command ended that did not end well. */
  exitCode: z.int().optional(),
  images: z.array(PanelImage),
  /** A command of the user's own, which can be stopped while it runs. */
  canStop: z.boolean().optional(),
  /** Absolute path of the file that the call is about, for a link. */
  path: z.string().optional(),
  /** Address of the document without a file that it is about, in place of `path`; a file may be called so. */
  address: z.string().optional(),
  durationMs: z.number().optional(),
});
export type ToolItem = z.infer<typeof ToolItem>;
/** A line that is not a message: a notification, an error, or the end of the run. */
export const NoticeItem = z.object({
  ...base,
  kind: z.literal("notice"),
  level: z.enum(["info", "warning", "error"]),
  text: z.string(),
  /** More lines, folded away. */
  detail: z.string().optional(),
  /** A button under the text, run by the host. `subject` is what the command is about. */
  action: z.object({ label: z.string(), command: z.string(), subject: z.string().optional() }).optional(),
  /** Another one, beside it. */
  secondAction: z.object({ label: z.string(), command: z.string() }).optional(),
});
/** What a command did in a preview, for people. */
export const CommandEffects = z.object({
  /** Its end and the number of its changes, in one line. */
  summary: z.string(),
  /** What it printed. */
  output: z.string(),
  changes: z.array(
    z.object({
      change: z.enum(["created", "changed", "deleted"]),
      path: z.string(),
      /** Its new size, mode, or target. */
      detail: z.string(),
      /** The changed lines of a text file; empty for others. */
      diff: z.string(),
    }),
  ),
  /** The number of further changes. */
  more: z.int(),
  /** Why the changes can't be applied. */
  problem: z.string().optional(),
});
export type CommandEffects = z.infer<typeof CommandEffects>;

/**
 * The parts of an approval. `once`, `deny`, `change` and each `option` are answers as the agent wants them; `code` is
 * what would be run or changed, `reasons` why the agent asks, and `rules` what can be allowed beyond this call. `words` are there when `code`
 * is what would become of a file: what changes within its lines.
 */
export const Approval = z.object({
  toolName: z.string(),
  /** The call that it is about, as the model names it. */
  callId: z.string().optional(),
  subject: z.string(),
  code: z.string(),
  codeLanguage: z.string().optional(),
  words: z.array(ChangedWords).optional(),
  reasons: z.array(z.string()),
  /** The dangers of the call, a line each. */
  dangers: z.array(z.string()).optional(),
  once: z.string(),
  deny: z.string(),
  change: z.string().optional(),
  /** The answer that previews a command, and the one that makes the changes of its preview. */
  tryOut: z.string().optional(),
  apply: z.string().optional(),
  effects: CommandEffects.optional(),
  /** The answer that runs this command and those after it in a sandbox, if that is offered. */
  sandbox: z.string().optional(),
  rules: z.array(
    z.object({
      scope: z.enum(["session", "workspace", "always"]),
      text: z.string(),
      /** A sentence that says which calls the rule covers. */
      covers: z.string().optional(),
      option: z.string(),
    }),
  ),
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
  /** True if the answer is a secret, which the user types in the editor's input box and which is never shown. */
  isSecret: z.boolean().optional(),
  /** Unix time in ms after which the agent goes on without an answer. */
  deadline: z.number().optional(),
  /** `withdrawn`: the agent no longer needs the answer. */
  state: z.enum(["pending", "answered", "cancelled", "withdrawn", "timedOut"]),
  /** The answer, for people. */
  answer: z.string().optional(),
  /** Set when the question is whether a tool may run. */
  approval: Approval.optional(),
  /** True if the user has edited the change that it is about. */
  isEdited: z.boolean().optional(),
  /** True if it may, once that is known. */
  isAllowed: z.boolean().optional(),
});
export type QuestionItem = z.infer<typeof QuestionItem>;
const NO_WORDS: ReadonlySet<string> = new Set(["cancel", "deny", "no", "not now", "reject"]);

/** True if a question has a no among its answers, so that whoever shows it need not add one. */
export function offersNo(options: readonly string[]): boolean {
  return options.some((option) => NO_WORDS.has(option.toLowerCase()));
}

/** A file that an answer worked with: how often it was read and changed, and how many lines came and went. */
export const FileReference = z.object({
  path: z.string(),
  name: z.string(),
  reads: z.int(),
  edits: z.int(),
  added: z.int(),
  removed: z.int(),
  /** The item of the last call that changed it, whose diff can be opened. */
  change: z.string().optional(),
});
export type FileReference = z.infer<typeof FileReference>;

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
  /** The reason why the cache was rewritten, for people. */
  cacheNote: z.string().optional(),
  costUsd: z.number().optional(),
  /** The number of tool calls. */
  tools: z.int().optional(),
  /** The files that tools read or changed, those that were changed first; `path` is absolute, `name` for people. */
  files: z.array(FileReference).optional(),
  /** The web addresses that the answer cites; `label` is empty where they stand alone. */
  links: z.array(z.object({ href: z.string(), label: z.string() })).optional(),
  /** The number of files and links that are not listed. */
  moreReferences: z.int().optional(),
});
export type FooterItem = z.infer<typeof FooterItem>;
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
