import "./no-eval.ts";
import "./language.ts";
import { connectHost } from "./host.ts";
import { formatNumber, t } from "./l10n.ts";
import type { DraftCopy } from "./protocol/draft.ts";
import { PANEL_PROTOCOL_VERSION, type PatchOp, ToPanel } from "./protocol/to-panel.ts";
import type { PanelUi } from "./protocol/ui.ts";
import { applyPatch, fromSnapshot, type PageState } from "./state.ts";
import { createAnnouncer } from "./view/announcer.ts";
import { playChime } from "./view/chime.ts";
import { interceptCodeActions } from "./view/code-actions.ts";
import { createComposer } from "./view/composer.ts";
import { createDock } from "./view/dock.ts";
import { createFrame, el } from "./view/dom.ts";
import { takeDrops } from "./view/drops.ts";
import { createEmptyState } from "./view/empty-state.ts";
import { connectFileLinks, takeFiles } from "./view/file-links.ts";
import { createFind } from "./view/find.ts";
import { applyFonts } from "./view/fonts.ts";
import type { ViewContext } from "./view/item-view.ts";
import { bindPageKeys } from "./view/keyboard.ts";
import { interceptLinks } from "./view/links.ts";
import { createTranscript } from "./view/transcript.ts";
import { createWorkingLine } from "./view/working-line.ts";

const host = connectHost();
window.addEventListener("error", (event) => host.post({ type: "pageError", message: event.message }));
window.addEventListener("unhandledrejection", (event) =>
  host.post({ type: "pageError", message: String(event.reason) }),
);

window.addEventListener("focus", () => host.post({ type: "focused" }));
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
const composer = createComposer(dockElement, context, () => transcript.toEnd());
composer.tools.prepend(dock.pickers);
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
bindPageKeys({
  root,
  transcript,
  planHead: dock.planHead,
  composer,
  isDraftEmpty: () => (composer.element.querySelector("vscode-text-area")?.value ?? "") === "",
  openFind: () => find.open("key"),
});

let state: PageState | undefined;
/** Whether a conversation has been drawn: what it held before is not news. */
let isDrawn = false;

window.addEventListener("message", (event) => {
  const message = ToPanel.safeParse(event.data);
  if (!message.success) {
    host.post({ type: "pageError", message: `The page could not read a message: ${message.error.message}` });
    return;
  }
  receive(message.data);
});
askForSnapshot();

function askForSnapshot(): void {
  host.post({ type: "ready", version: PANEL_PROTOCOL_VERSION, revision: state?.revision ?? null });
}

function receive(message: ToPanel): void {
  switch (message.type) {
    case "snapshot": {
      const isFirst = state === undefined;
      state = fromSnapshot(message);
      transcript.reset(message.items);
      showUi(message.ui, undefined);
      showDraft(message.draft, isFirst);
      isDrawn = true;
      return;
    }
    case "patch": {
      if (!state) return;
      const next = applyPatch(state, message);
      if (next === "gap") {
        askForSnapshot();
        return;
      }
      const before = state.ui;
      state = next;
      transcript.apply(message.ops);
      find.refresh();
      if (message.ui) showUi(message.ui, before);
      else if (message.ops.some(changesItems)) working.show(next.ui, next.items);
      return;
    }
    case "setDraft":
      if (message.mode === "replace") composer.takeDraft(message.text);
      else if (message.text !== "") composer.setDraft(message.text, "append");
      if (message.attachments) composer.takeAttachments(message.attachments, message.mode);
      return;
    case "chime":
      playChime(message.event);
      return;
    case "jump":
      transcript.jumpToPrompt(message.by);
      return;
    case "find":
      find.open("editor");
      return;
    case "reveal":
      transcript.reveal(message.id);
      return;
    case "editPrompt": {
      const prompt = state?.items.find(({ id }) => id === message.id) ?? transcript.earlier.item(message.id);
      if (prompt?.kind === "prompt") context.editPrompt(prompt);
      return;
    }
    case "copyItem": {
      const text = transcript.textOf(message.id);
      if (text !== undefined) host.post({ type: "copy", text });
      return;
    }
    case "files":
      takeFiles(message.files);
      return;
    case "earlier":
    case "noEarlier":
      transcript.earlier.take(message);
      return;
    case "contextParts":
      dock.showContextParts(message.parts);
      return;
    case "commands":
      composer.setCommands(message.commands);
      return;
    case "history":
      composer.setHistory(message.entries);
      return;
    case "mentions":
      composer.setMentions(message);
      return;
    case "insert":
      composer.insert(message.text);
      return;
    case "addContexts":
      composer.addContexts(message.contexts);
      return;
    case "contextPreview":
      composer.takePreview(message);
      return;
    case "focusComposer":
      composer.focus();
      return;
  }
}

/** A conversation brings its own draft. The one that stands here already is kept, unless the host's is newer. */
function showDraft(draft: DraftCopy, isFirst: boolean): void {
  const kept = host.kept().draft;
  // Somebody types while the session is given its name: what stands here is newer than what the host has.
  if (draft.was !== undefined && draft.was === kept.chat && composer.rename(draft.chat)) return;
  const isOther = kept.chat !== "" && kept.chat !== draft.chat;
  if (isOther) composer.flushDraft();
  // Somebody may have begun to type while the page loaded.
  const isTaken = isOther || (isFirst && draft.at > kept.at && !composer.isTouched());
  const { chat, text, at, place } = draft;
  // A view that was moved has lost what it kept; its caret has not moved since.
  const isPlaceTaken = isTaken || (isFirst && kept.place === undefined && text === kept.text && !composer.isTouched());
  host.keep({ draft: isTaken ? { chat, text, at, place } : { ...host.kept().draft, chat } });
  if (isTaken || isPlaceTaken) composer.takeDraft(text, place);
  // The host alone keeps these: they may be large.
  if (isOther) composer.takeAttachments(draft.attachments ?? [], "replace");
  else if (isFirst && draft.attachments) composer.takeAttachments(draft.attachments, "append");
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
  if (before && before.status !== ui.status) announceStatus(ui, before);
}

function changesItems({ op }: PatchOp): boolean {
  return op === "remove" || op === "upsert";
}

function announceStatus(ui: PanelUi, before: PanelUi): void {
  if (ui.status === "running" && before.status !== "stopping") announcer.say(t("Tiller is working"), "polite");
  if (ui.status === "crashed") announcer.say(t("The agent has stopped unexpectedly"), "polite");
  if (ui.status !== "idle" || (before.status !== "running" && before.status !== "stopping")) return;
  const words = wordsOfLastAnswer();
  const ready = words === 1 ? t("Answer ready, 1 word") : t("Answer ready, {0} words", formatNumber(words));
  announcer.say(before.status === "stopping" ? t("Stopped") : ready, "polite");
}

function wordsOfLastAnswer(): number {
  const items = state?.items ?? [];
  const prompt = items.findLastIndex((item) => item.kind === "prompt");
  let words = 0;
  for (const item of items.slice(prompt + 1)) {
    if (item.kind === "text") words += item.text.split(/\s+/).filter((word) => word !== "").length;
  }
  return words;
}
