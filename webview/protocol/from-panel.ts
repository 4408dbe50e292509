import * as z from "zod";
import { ContextSource, ContextWord } from "./context.ts";
import { attachments, DraftPlace, Prompt } from "./draft.ts";
import { PANEL_COMMANDS } from "./panel-commands.ts";
import { PlanEdit, QueueEdit } from "./ui.ts";

const id = z.string();

/** The user's answer to a question. */
export const PanelAnswer = z.discriminatedUnion("type", [
  /** `reason` says why an approval is denied. */
  z.object({ type: z.literal("value"), value: z.string(), reason: z.string().optional() }),
  z.object({ type: z.literal("confirmed"), confirmed: z.boolean() }),
  z.object({ type: z.literal("cancelled") }),
]);
export type PanelAnswer = z.infer<typeof PanelAnswer>;

/** Page → host. */
export const FromPanel = z.discriminatedUnion("type", [
  /** The page is there, or has seen a gap: send a snapshot. */
  z.object({ type: z.literal("ready"), version: z.int(), revision: z.int().nullable() }),
  /** The page clears its composer; when the agent refuses the text, the host puts it back with `setDraft`. */
  Prompt.extend({
    type: z.literal("prompt"),
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
  z.object({ type: z.literal("draft"), chat: z.string(), text: z.string(), place: DraftPlace.optional() }),
  /** The attachments of the draft have changed. */
  z.object({ type: z.literal("attachments"), chat: z.string(), attachments }),
  /** The keyboard is in this page. */
  z.object({ type: z.literal("focused") }),
  /** The keyboard has left this page. */
  z.object({ type: z.literal("blurred") }),
  /** The user has begun or stopped to type; false at first. */
  z.object({ type: z.literal("typing"), isTyping: z.boolean() }),
  /** Wants items from before those of the conversation, or before others such; `cursor` is the `next` of those, or null. */
  z.object({ type: z.literal("readEarlier"), request: z.int(), cursor: z.string().nullable() }),
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
  /** Wants a chip for a word that was picked; the answer is `addContexts`, unless there is nothing to be had. `mark` is its place in the text. */
  z.object({ type: z.literal("takeContext"), word: ContextWord, mark: z.string() }),
  /** Wants to see what a chip would send at this moment; the answer is `contextPreview`. */
  z.object({ type: z.literal("previewContext"), id, source: ContextSource }),
  /** The user has accepted a suggestion, or wants none in this chat. */
  z.object({ type: z.literal("suggestion"), action: z.enum(["accept", "dismiss"]) }),
  /** Files and folders were dropped. */
  z.object({ type: z.literal("dropUris"), uris: z.array(z.string()).max(50), areProblems: z.boolean() }),
  /** Wants what was sent in this workspace. */
  z.object({ type: z.literal("listHistory") }),
  /** Ends what runs in the background. */
  z.object({ type: z.literal("stopBackground") }),
  z.object({ type: z.literal("editPlan"), edit: PlanEdit }),
  z.object({ type: z.literal("answer"), requestId: z.string(), answer: PanelAnswer }),
  /** Shows a question in the editor's own interface, where it may have been put off. */
  z.object({ type: z.literal("showQuestion"), requestId: z.string() }),
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
  /** Goes on from an item: before what the user said, or behind the turn that it is part of. */
  z.object({ type: z.literal("fork"), id }),
  /** Goes back to before what the user said; what to restore is asked. */
  z.object({ type: z.literal("rewind"), id }),
  /** Opens or saves an image of an item. */
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
  z.object({ type: z.literal("command"), command: z.enum(PANEL_COMMANDS), subject: z.string().optional() }),
  /** Something broke in the page; goes to the log. */
  z.object({ type: z.literal("pageError"), message: z.string() }),
]);
export type FromPanel = z.infer<typeof FromPanel>;
