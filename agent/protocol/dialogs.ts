import * as z from "zod";
import { ApprovalScope } from "./approvals.ts";
import { CommandPreview } from "./previews.ts";

const base = { type: z.literal("extension_ui_request"), id: z.string() };
const timeout = z.lazy(() => z.int().positive().optional().describe("milliseconds"));

/** The change that a call would make to a file: `diff` has numbered lines, `patch` is a unified diff. `path` is absolute. */
export const ChangePreview = z.lazy(() => z.object({ path: z.string(), diff: z.string(), patch: z.string() }));
export type ChangePreview = z.infer<typeof ChangePreview>;

/** The user's edit of a proposed change: the whole text of the file as proposed, and as the user wants it. */
export const EditedChange = z.lazy(() => z.object({ before: z.string(), after: z.string() }));
export type EditedChange = z.infer<typeof EditedChange>;

/** A rule that an answer to an approval saves. `option` is that answer, one of the question's options; `covers` is a sentence for people. */
export const OfferedRule = z.lazy(() =>
  z.object({
    scope: ApprovalScope,
    pattern: z.string().optional(),
    text: z.string(),
    covers: z.string().optional(),
    option: z.string(),
  }),
);

/** The kinds of danger that a question warns of. */
export const DangerKind = z.enum([
  "deletes",
  "deletes_branch",
  "discards_changes",
  "rewrites_history",
  "publishes",
  "sends_data",
  "reaches_machine",
  "runs_remote_script",
  "admin_rights",
  "changes_system",
  "outside_workspace",
  "protected_file",
  "runs_later",
  "reads_secret",
]);
export type DangerKind = z.infer<typeof DangerKind>;

/**
 * One danger of a call. `object` is the path, machine, or program that it concerns, as text on one line; `reason` is the entry of the question's
 * `reasons` that says the same.
 */
export const Danger = z.lazy(() =>
  z.object({ kind: DangerKind, object: z.string().optional(), reason: z.string().optional() }),
);
export type Danger = z.infer<typeof Danger>;

/** The offer to run commands in a sandbox from this one on. `option` is that answer, one of the question's options; `text` is a sentence for people. */
export const SandboxOffer = z.lazy(() => z.object({ option: z.string(), text: z.string() }));
export type SandboxOffer = z.infer<typeof SandboxOffer>;

/**
 * The tool call that a `select` asks about. `once`, `deny`, and `change` are options of the question: they allow this call, deny it, and ask for
 * another rule first. `tryOut` is the option that runs a command as a preview, after which the question comes again with its `effects`; `apply`
 * is then the option that makes them real in place of running the command. Only the agent's own approvals set it; the API of extensions has no way to.
 */
export const ApprovalQuestion = z.lazy(() =>
  z.object({
    toolCallId: z.string(),
    tool: z.string(),
    subject: z.string(),
    reasons: z.array(z.string()),
    danger: z.array(Danger).optional(),
    once: z.string(),
    deny: z.string(),
    change: z.string().optional(),
    rules: z.array(OfferedRule),
    sandbox: SandboxOffer.optional(),
    preview: ChangePreview.optional(),
    tryOut: z.string().optional(),
    apply: z.string().optional(),
    effects: CommandPreview.optional(),
  }),
);
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;

/** The tool call whose rule an `editor` dialog changes. Set as `ApprovalQuestion` is. */
export const RuleQuestion = z.lazy(() => z.object({ toolCallId: z.string(), tool: z.string() }));
export type RuleQuestion = z.infer<typeof RuleQuestion>;

/** The extension, MCP server, or file with hooks of the project that a `select` asks consent for. Set as `ApprovalQuestion` is. */
export const ConsentQuestion = z.lazy(() =>
  z.object({ kind: z.enum(["extension", "mcp", "hooks"]), name: z.string() }),
);
export type ConsentQuestion = z.infer<typeof ConsentQuestion>;

/** A question with a list of answers; answered with `value`. */
export const SelectRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("select"),
    title: z.string(),
    options: z.array(z.string()),
    approval: ApprovalQuestion.optional(),
    consent: ConsentQuestion.optional(),
    timeout,
  }),
);
export type SelectRequest = z.infer<typeof SelectRequest>;
/** A yes-or-no question; answered with `confirmed`. */
export const ConfirmRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("confirm"),
    title: z.string(),
    message: z.string(),
    timeout,
  }),
);
/** A question for one line of text; answered with `value`. */
export const InputRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("input"),
    title: z.string(),
    placeholder: z.string().optional(),
    /** True if the answer is a secret, which hosts hide while the user types it, and never show or log. */
    password: z.boolean().optional(),
    timeout,
  }),
);
/** A question for a longer text; answered with `value`. */
export const EditorRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("editor"),
    title: z.string(),
    prefill: z.string().optional(),
    promptStyle: z.boolean().optional(),
    rule: RuleQuestion.optional(),
    timeout,
  }),
);
/** A line for the user; no answer. */
export const NotifyRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("notify"),
    message: z.string(),
    notifyType: z.enum(["info", "warning", "error"]).optional(),
    /** The request after this one says the same to hosts that know it: they leave this one out. Only the agent itself sets it. */
    fallbackFor: z.literal("open_url").optional(),
  }),
);
/** A status line under a key; without `statusText` the key is cleared. */
export const SetStatusRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("setStatus"),
    statusKey: z.string(),
    statusText: z.string().optional(),
  }),
);
/** Lines near the composer under a key; without `widgetLines` the key is cleared. */
export const SetWidgetRequest = z.lazy(() =>
  z.object({
    ...base,
    method: z.literal("setWidget"),
    widgetKey: z.string(),
    widgetLines: z.array(z.string()).optional(),
    widgetPlacement: z.enum(["aboveEditor", "belowEditor"]).optional(),
  }),
);
/** A title for the host's window or view. Sent only with `PI_RPC_EMIT_TITLE`. */
export const SetTitleRequest = z.lazy(() => z.object({ ...base, method: z.literal("setTitle"), title: z.string() }));
/** Text for the host's composer. */
export const SetEditorTextRequest = z.lazy(() =>
  z.object({ ...base, method: z.literal("set_editor_text"), text: z.string() }),
);
/** An address on the web, or on this machine, for the browser. Only the agent itself sends it. */
export const OpenUrlRequest = z.lazy(() => z.object({ ...base, method: z.literal("open_url"), url: z.string() }));
/** The dialog with `targetId` is no longer wanted. */
export const CancelRequest = z.lazy(() => z.object({ ...base, method: z.literal("cancel"), targetId: z.string() }));

/** Everything the agent may ask of, or tell, the host's interface. */
export const UiRequest = z.discriminatedUnion("method", [
  SelectRequest,
  ConfirmRequest,
  InputRequest,
  EditorRequest,
  NotifyRequest,
  SetStatusRequest,
  SetWidgetRequest,
  SetTitleRequest,
  SetEditorTextRequest,
  OpenUrlRequest,
  CancelRequest,
]);
export type UiRequest = z.infer<typeof UiRequest>;
export type UiMethod = UiRequest["method"];

/** The requests that wait for an answer. */
export type DialogRequest = Extract<UiRequest, { method: "select" | "confirm" | "input" | "editor" }>;
export type DialogMethod = DialogRequest["method"];

/**
 * Host → agent: the answer to a dialog. Every field is read tolerantly: an answer of the wrong form means the dialog's
 * default, never an error.
 */
export const UiResponse = z.lazy(() =>
  z.object({
    type: z.literal("extension_ui_response"),
    id: z.string(),
    value: z.unknown().optional(),
    confirmed: z.unknown().optional(),
    cancelled: z.unknown().optional(),
    timedOut: z.unknown().optional(),
    edited: z.unknown().optional(),
    /** Why an approval is denied, in the user's words for the model. */
    reason: z.unknown().optional(),
  }),
);
export type UiResponse = z.infer<typeof UiResponse>;
