import { t } from "../../l10n.ts";
import type { Attachment, DraftPlace } from "../../protocol/draft.ts";
import type { EarlierPrompt } from "../../protocol/to-panel.ts";
import type { AgentStatus, PanelCommand, PanelUi } from "../../protocol/ui.ts";
import { createTextBox, type TextBox } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import type { ViewContext } from "../common/item-view.ts";
import { createAddButton } from "./add-button.ts";
import type { Attachments } from "./attachments.ts";
import { type ComposerAids, createAids } from "./composer-aids.ts";
import { createComposerButtons } from "./composer-buttons.ts";
import { bindComposerKeys } from "./composer-keys.ts";
import { createSender } from "./composer-send.ts";
import type { MentionList } from "./mention-list.ts";
import type { EarlierMessage } from "./prompt-edit.ts";
import { createShellHint } from "./shell-hint.ts";

/** The box in which the user writes. */
export interface Composer {
  readonly element: HTMLElement;
  /** The row below the text, for what belongs to the next message. */
  readonly tools: HTMLElement;
  show(ui: PanelUi): void;
  focus(): void;
  hasFocus(): boolean;
  setDraft(text: string, mode: "replace" | "append"): void;
  /** Puts a draft here that the host has already, so that it is not told of it. @param at where the caret was in it. */
  takeDraft(text: string, at?: DraftPlace): void;
  /** Puts attachments here, in place of those that are here or beside them. */
  takeAttachments(attachments: readonly Attachment[], mode: "replace" | "append"): void;
  addFiles(files: readonly File[]): void;
  setCommands(commands: readonly PanelCommand[]): void;
  /** Messages sent in this workspace, latest first. */
  setHistory(entries: readonly EarlierPrompt[]): void;
  setMentions: MentionList["take"];
  /** Puts a text where the caret is. */
  insert(text: string): void;
  addContexts: Attachments["addContexts"];
  takePreview: Attachments["preview"]["take"];
  /** True if something was typed since the page loaded. */
  isTouched(): boolean;
  /** Puts an earlier message here, to be sent in another form; the draft comes back afterwards. */
  editPrompt(prompt: EarlierMessage): void;
  /** The conversation of the draft has another key: hands on what is here under that. @returns whether there is something. */
  rename(chat: string): boolean;
  /** Hands the draft to the host at once. */
  flushDraft(): void;
  stop(): void;
}

/** The placeholder of the text box. */
function wordPlaceholder(status: AgentStatus): string {
  const ask = t("Ask Tiller to do something");
  const add = t("Send a message while Tiller works");
  const words: Record<AgentStatus, string> = {
    untrusted: t("Trust this workspace to get started"),
    noFolder: t("Open a folder to get started"),
    stopped: ask,
    starting: ask,
    idle: ask,
    running: add,
    stopping: add,
    crashed: t("Restart the agent to continue"),
  };
  return words[status];
}

/** Makes the composer inside `parent`, with the draft that the page kept. */
export function createComposer(parent: HTMLElement, { host, say }: ViewContext, onSent: () => void): Composer {
  const { element, holder, tools, box } = createPlace(parent, host.kept().draft.text);
  let ui: PanelUi | undefined;
  let isTouched = false;
  const aids = createAids({ box, host, say: (text) => say(text, "polite"), onChanged, onReplaced });
  const { attachments, suggestion } = aids;
  const hint = createShellHint(box, () => attachments.images().length > 0);
  const sender = createSender({ box, host, aids, ui: () => ui, onSent: afterSending });
  const buttons = createComposerButtons({
    send() {
      sender.send(false);
      box.focus(); // the button is of no use any more
    },
    stop,
    editInEditor: () => host.post({ type: "editInEditor", text: attachments.expand(box.read()) }),
  });
  element.prepend(...[aids.slash, aids.edit, aids.mentions].map((aid) => aid.element));
  aids.slash.element.append(hint.element);
  holder.before(suggestion.element, attachments.element, attachments.preview.element);
  tools.append(createAddButton({ box, host, addFiles: attachments.addFiles }), buttons.element);

  function showButtons(): void {
    buttons.show(ui?.status, sender.isEmpty());
    hint.refresh();
  }
  function onChanged(): void {
    isTouched = true;
    showButtons();
    aids.draft.flush();
  }
  function onReplaced(): void {
    showButtons();
    aids.slash.refresh();
  }
  function afterSending(): void {
    onReplaced();
    onSent();
  }
  function stop(): void {
    if (ui?.status === "running") host.post({ type: "stop" });
  }
  function show(next: PanelUi): void {
    ui = next;
    attachments.show(next);
    suggestion.show(next);
    box.setPlaceholder(wordPlaceholder(next.status));
    showButtons();
  }
  box.element.addEventListener("input", () => {
    isTouched = true;
    showButtons();
    attachments.refresh();
  });
  box.element.addEventListener("focusin", () => {
    const offer = suggestion.hint();
    if (offer !== undefined) say(offer, "polite");
  });
  bindComposerKeys({ box, aids, ui: () => ui, send: sender.send, stop });
  return { element, tools, show, stop, isTouched: () => isTouched, ...waysIn(box, aids, onReplaced) };
}

/** The box for the text, and the row below it. */
function createPlace(parent: HTMLElement, value: string) {
  const holder = el("div", "composer-text");
  const tools = el("div", "composer-tools");
  const element = el("div", "composer", {}, [holder, tools]);
  parent.append(element);
  const box = createTextBox({ label: t("Message"), placeholder: "", value, parent: holder, maxHeight: "40vh" });
  return { element, holder, tools, box };
}

/** Actions of the page and the host on the composer. */
function waysIn(
  box: TextBox,
  { slash, mentions, history, edit, draft, attachments, draftText }: ComposerAids,
  onReplaced: () => void,
): Omit<Composer, "element" | "tools" | "show" | "stop" | "isTouched"> {
  return {
    focus: box.focus,
    hasFocus: box.hasFocus,
    setDraft(text, mode) {
      const before = edit.hiddenDraft() ?? draftText();
      const whole = mode === "replace" || before === "" ? text : `${before}${before.endsWith("\n") ? "" : "\n"}${text}`;
      if (!edit.keep(whole)) {
        history.leave();
        box.write(whole);
        onReplaced();
      }
      draft.flush();
    },
    takeDraft(text, at) {
      if (edit.keep(text)) return;
      history.leave();
      draft.take(text, at);
      attachments.refresh();
      onReplaced();
    },
    editPrompt(prompt) {
      draft.flush();
      edit.begin(prompt);
    },
    takeAttachments(next, mode) {
      attachments.take(next, mode);
      onReplaced();
    },
    insert(text) {
      box.focus();
      box.insert(text);
    },
    addFiles: attachments.addFiles,
    addContexts: attachments.addContexts,
    takePreview: attachments.preview.take,
    setCommands: slash.setCommands,
    setHistory: history.setEntries,
    setMentions: mentions.take,
    rename(chat) {
      if (draftText() === "" && attachments.all().length === 0) return false;
      draft.rename(chat);
      attachments.change(attachments.all());
      return true;
    },
    flushDraft: draft.flush,
  };
}
