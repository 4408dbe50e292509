import "./no-eval.ts";
import "./language.ts";
import { connectHost } from "./host.ts";
import { createAnnouncer } from "./page/announcer.ts";
import { playChime } from "./page/chime.ts";
import { takeDrops } from "./page/drops.ts";
import { applyFonts } from "./page/fonts.ts";
import { bindPageKeys, moveToPart } from "./page/keyboard.ts";
import { announceStatus } from "./page/status-news.ts";
import { watchTyping } from "./page/typing.ts";
import type { TranscriptItem } from "./protocol/items.ts";
import { PANEL_PROTOCOL_VERSION, type PatchOp, ToPanel } from "./protocol/to-panel.ts";
import type { PanelUi } from "./protocol/ui.ts";
import { applyPatch, fromSnapshot, type PageState } from "./state.ts";
import { interceptCodeActions } from "./view/code/code-actions.ts";
import { connectFileLinks, takeFiles } from "./view/code/file-links.ts";
import { createFrame, el } from "./view/common/dom.ts";
import { setHostTime } from "./view/common/host-clock.ts";
import type { ViewContext } from "./view/common/item-view.ts";
import { createComposer } from "./view/composer/composer.ts";
import { takeDraft } from "./view/composer/take-draft.ts";
import { createDock } from "./view/dock/dock.ts";
import { interceptLinks } from "./view/markdown/links.ts";
import { createEmptyState } from "./view/transcript/empty-state.ts";
import { createFind } from "./view/transcript/find.ts";
import { createTranscript } from "./view/transcript/transcript.ts";
import { createWorkingLine } from "./view/transcript/working-line.ts";

const host = connectHost();
window.addEventListener("error", (event) => host.post({ type: "pageError", message: event.message }));
window.addEventListener("unhandledrejection", (event) =>
  host.post({ type: "pageError", message: String(event.reason) }),
);

window.addEventListener("focus", () => host.post({ type: "focused" }));
// The keyboard may have come before this script, or have gone with the page that was here before it: no event tells of that.
host.post({ type: document.hasFocus() ? "focused" : "blurred" });
window.addEventListener("blur", () => host.post({ type: "blurred" }));

const announcer = createAnnouncer();
const root = el("main", "page", {}, [el("h1", "visually-hidden", {}, ["Tiller"])]);
document.body.append(root, announcer.element);
const context: ViewContext = {
  host,
  frame: createFrame(),
  say: (text, urgency) => {
    if (isDrawn) announcer.say(text, urgency);
  },
  density: () => state?.ui.density ?? "normal",
  focusComposer: () => composer.focus(),
  editPrompt: (prompt) => composer.editPrompt(prompt),
  rule: { isUnderWay: false },
  lastAnswer: { at: Number.NEGATIVE_INFINITY },
};
const transcript = createTranscript(context, () => find.refresh());
const dock = createDock(context);
const dockElement = el("div", "dock", {}, [dock.above]);
const find = createFind({
  views: transcript.views,
  isCut: transcript.earlier.isCut,
  release: transcript.release,
  leave: () => composer.focus(),
});
root.append(find.element, transcript.element, el("div", "pill-holder", {}, [transcript.pill]), dockElement);
const composer = createComposer(dockElement, context, () => {
  transcript.toEnd();
  typing.sent();
});
const typing = watchTyping((isTyping) => host.post({ type: "typing", isTyping }));
composer.tools.lastElementChild?.before(dock.pickers);
dockElement.append(dock.below);
const empty = createEmptyState(context, (text) => {
  composer.setDraft(text, "replace");
  composer.focus();
});
transcript.setPlaceholder(empty.element);
const working = createWorkingLine();
transcript.setWorking(working.element);
interceptLinks(root, host);
connectFileLinks(host);
interceptCodeActions(root, host);
const dropHint = takeDrops(root, {
  files: composer.addFiles,
  uris: ({ uris, areProblems }) => host.post({ type: "dropUris", uris: uris.slice(0, 50), areProblems }),
});
composer.element.before(dropHint);
const parts = { transcript, planHead: dock.planHead, composer };
bindPageKeys({
  ...parts,
  root,
  isDraftEmpty: () => (composer.element.querySelector("vscode-text-area")?.value ?? "") === "",
  openFind: () => find.open("key"),
});

let state: PageState | undefined;
/** True if a conversation has been drawn: what it held before is not news. */
let isDrawn = false;

window.addEventListener("message", (event) => {
  const message = ToPanel.safeParse(event.data);
  if (!message.success) {
    host.post({ type: "pageError", message: `The page could not read a message: ${message.error.message}` });
    return;
  }
  receive(message.data.type, message.data);
});
askForSnapshot();

function askForSnapshot(): void {
  host.post({ type: "ready", version: PANEL_PROTOCOL_VERSION, revision: state?.revision ?? null });
}

type MessageType = ToPanel["type"];
type MessageOf<Type extends MessageType> = Extract<ToPanel, { type: Type }>;

/** The action for each message of the host. */
const receivers: { readonly [Type in MessageType]: (message: MessageOf<Type>) => void } = {
  snapshot: showSnapshot,
  patch: applyChanges,
  earlier: transcript.earlier.take,
  noEarlier: transcript.earlier.take,
  files: ({ files }) => takeFiles(files),
  contextParts: ({ parts }) => dock.showContextParts(parts),
  chime: ({ event }) => playChime(event),

  moveToPart: ({ by }) => moveToPart(parts, by),
  jump: ({ by }) => transcript.jumpToPrompt(by),
  reveal: ({ id }) => transcript.reveal(id),
  find: () => find.open("editor"),
  copyItem: ({ id }) => copyText(promptAt(id)?.text ?? transcript.textOf(id)),
  editPrompt: ({ id }) => editPrompt(promptAt(id)),

  setDraft,
  insert: ({ text }) => composer.insert(text),
  commands: ({ commands }) => composer.setCommands(commands),
  history: ({ entries }) => composer.setHistory(entries),
  mentions: composer.setMentions,
  addContexts: ({ contexts }) => composer.addContexts(contexts),
  contextPreview: composer.takePreview,
  focusComposer: composer.focus,
};

function receive<Type extends MessageType>(type: Type, message: MessageOf<Type>): void {
  receivers[type](message);
}

function showSnapshot(snapshot: MessageOf<"snapshot">): void {
  const isFirst = state === undefined;
  state = fromSnapshot(snapshot);
  setHostTime(snapshot.now);
  transcript.reset(snapshot.items);
  showUi(snapshot.ui, undefined);
  takeDraft(snapshot.draft, isFirst, { host, composer });
  isDrawn = true;
}

function applyChanges(patch: MessageOf<"patch">): void {
  if (!state) return;
  const next = applyPatch(state, patch);
  if (next === "gap") {
    askForSnapshot();
    return;
  }
  const before = state.ui;
  state = next;
  transcript.apply(patch.ops);
  find.refresh();
  if (patch.ui) showUi(patch.ui, before);
  else if (patch.ops.some(changesItems)) working.show(next.ui, next.items);
}

function copyText(text: string | undefined): void {
  if (text !== undefined) host.post({ type: "copy", text });
}

/** Returns the text of a message of the user; undefined for other items. */
function promptAt(id: string): Extract<TranscriptItem, { kind: "prompt" }> | undefined {
  const item = state?.items.find((one) => one.id === id) ?? transcript.earlier.item(id);
  return item?.kind === "prompt" ? item : undefined;
}

function editPrompt(prompt: ReturnType<typeof promptAt>): void {
  if (prompt !== undefined) context.editPrompt(prompt);
}

function setDraft({ text, mode, attachments }: MessageOf<"setDraft">): void {
  if (mode === "replace") composer.takeDraft(text);
  else if (text !== "") composer.setDraft(text, "append");
  if (attachments) composer.takeAttachments(attachments, mode);
}

function showUi(ui: PanelUi, before: PanelUi | undefined): void {
  root.dataset.status = ui.status;
  root.classList.toggle("is-read-only", ui.isReadOnly === true);
  applyFonts(ui.fonts);
  composer.show(ui);
  dock.show(ui);
  // Said here, since a style that looks into the conversation would be worked out again at every key.
  root.classList.toggle("is-setup", empty.show(ui));
  transcript.earlier.setWanted(ui.hasEarlier === true && ui.isReadOnly !== true);
  if (before && before.density !== ui.density) transcript.refold();
  working.show(ui, state?.items ?? []);
  if (before && before.status !== ui.status) announceStatus(ui, before, state?.items ?? [], announcer);
}

function changesItems({ op }: PatchOp): boolean {
  return op === "remove" || op === "upsert";
}
