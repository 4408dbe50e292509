import { createButton, createTextBox } from "../controls.ts";
import { t } from "../l10n.ts";
import { type Attachment, MAX_ATTACHMENTS } from "../protocol/draft.ts";
import type { EarlierPrompt } from "../protocol/to-panel.ts";
import type { AgentStatus, PanelCommand, PanelUi } from "../protocol/ui.ts";
import { type Attachments, createAttachments } from "./attachments.ts";
import { el, isComposing, setText } from "./dom.ts";
import { keepDraft } from "./draft-keeper.ts";
import type { ViewContext } from "./item-view.ts";
import { createMentionList, type MentionList } from "./mention-list.ts";
import { createPromptEdit, type EarlierMessage } from "./prompt-edit.ts";
import { createPromptHistory } from "./prompt-history.ts";
import { createSlashList } from "./slash-list.ts";
import { createSuggestion } from "./suggestion.ts";

/** Where the user writes. */
export interface Composer {
  readonly element: HTMLElement;
  /** The row below the text, for what belongs to the next message. */
  readonly tools: HTMLElement;
  show(ui: PanelUi): void;
  focus(): void;
  hasFocus(): boolean;
  setDraft(text: string, mode: "replace" | "append"): void;
  /** Puts a draft here that the host has already, so that it is not told of it. */
  takeDraft(text: string): void;
  /** Puts attachments here, in place of those that are here or beside them. */
  takeAttachments(attachments: readonly Attachment[], mode: "replace" | "append"): void;
  addFiles(files: readonly File[]): void;
  setCommands(commands: readonly PanelCommand[]): void;
  /** What was sent in this workspace, the latest first. */
  setHistory(entries: readonly EarlierPrompt[]): void;
  setMentions: MentionList["take"];
  /** Puts a text where the caret is. */
  insert(text: string): void;
  addContexts: Attachments["addContexts"];
  takePreview: Attachments["preview"]["take"];
  /** Whether something was typed since the page loaded. */
  isTouched(): boolean;
  /** Puts an earlier message here, to be sent in another form; the draft comes back afterwards. */
  editPrompt(prompt: EarlierMessage): void;
  /** Hands the draft to the host at once. */
  flushDraft(): void;
  stop(): void;
}

/** What is said below a command for the shell, by how many marks it begins with. */
function wordShell(marks: number): string {
  if (marks === 1) return t("Runs in the shell. The model sees the command and its output with the next message.");
  return marks === 2 ? t("Runs in the shell. The model sees nothing of it.") : "";
}

/** What stands in the empty text box. */
function wordPlaceholder(status: AgentStatus): string {
  const ask = t("Ask Tiller to do something");
  const add = t("Add to the running work");
  const words: Record<AgentStatus, string> = {
    untrusted: t("Trust this workspace to begin"),
    noFolder: t("Open a folder to begin"),
    stopped: ask,
    starting: ask,
    idle: ask,
    running: add,
    stopping: add,
    crashed: t("Restart the agent to go on"),
  };
  return words[status];
}

/** Makes the composer inside `parent`, with the draft that the page kept. */
export function createComposer(parent: HTMLElement, { host, say }: ViewContext, onSent: () => void): Composer {
  const holder = el("div", "composer-text");
  const tools = el("div", "composer-tools");
  const element = el("div", "composer", {}, [holder, tools]);
  parent.append(element);
  const box = createTextBox({
    label: t("Message"),
    placeholder: "",
    value: host.kept().draft.text,
    parent: holder,
    maxHeight: "40vh",
  });
  let ui: PanelUi | undefined;
  let isTouched = false;
  const sayPolitely = (text: string) => say(text, "polite");
  const slash = createSlashList({ box, host, say: sayPolitely, onChanged });
  const mentions = createMentionList({
    box,
    host,
    say: sayPolitely,
    onChanged,
    addContexts: (chips) => attachments.addContexts(chips),
  });
  element.prepend(mentions.element);
  const history = createPromptHistory({
    box,
    host,
    say: sayPolitely,
    onChanged: () => {
      onChanged();
      slash.refresh();
      attachments.refresh();
    },
    recalled: (contexts) => attachments.addContexts(contexts),
  });
  const shellHint = el("div", "slash-hint");
  slash.element.append(shellHint);
  function showShellHint(): void {
    const marks = attachments.images().length === 0 ? (/^!+/.exec(box.read())?.[0].length ?? 0) : 0;
    shellHint.hidden = marks === 0 || marks > 2;
    setText(shellHint, wordShell(marks));
  }
  const edit = createPromptEdit({
    read: () => ({ text: history.hiddenDraft() ?? box.read(), attachments: attachments.all() }),
    write(text, attached) {
      history.leave();
      box.write(text);
      attachments.take(attached, "replace");
      slash.refresh();
      showButtons();
      box.focus();
    },
    say: sayPolitely,
  });
  element.prepend(edit.element);
  const draft = keepDraft({ box, host, hiddenDraft: () => edit.hiddenDraft() ?? history.hiddenDraft() });
  const suggestion = createSuggestion({
    host,
    accept: (chips) => attachments.addContexts(chips),
    preview: (chip) => attachments.preview.toggle(chip),
    focusComposer: box.focus,
    say: sayPolitely,
  });
  const attachments = createAttachments({
    box,
    host,
    draftText: () => history.hiddenDraft() ?? box.read(),
    isAside: () => edit.current() !== undefined,
    suggested: () => suggestion.taken(),
    say: sayPolitely,
    onChanged,
  });
  holder.before(suggestion.element, attachments.element, attachments.preview.element);
  element.prepend(slash.element);

  const isBusy = () => ui?.status === "running" || ui?.status === "stopping";
  const isEmpty = () =>
    box.read().trim() === "" && attachments.images().length === 0 && attachments.contexts().length === 0;
  function send(isOther: boolean): void {
    const reading = attachments.reading();
    if (reading !== undefined) {
      // What was pasted belongs to this message.
      void reading.then(() => send(isOther));
      return;
    }
    if (isEmpty() || !ui || ui.status === "untrusted" || ui.status === "noFolder" || ui.status === "crashed") return;
    const other = ui.whileRunning === "steer" ? "followUp" : "steer";
    const images = attachments.images();
    const editOf = edit.current();
    const contexts = [...attachments.contexts(), ...suggestion.taken()].slice(0, MAX_ATTACHMENTS);
    host.post({
      type: "send",
      text: attachments.expand(box.read()),
      whileRunning: isOther ? other : ui.whileRunning,
      ...(images.length === 0 ? {} : { images: [...images] }),
      ...(contexts.length === 0 ? {} : { contexts }),
      ...(editOf === undefined ? {} : { editOf }),
    });
    if (editOf === undefined) {
      box.write("");
      history.leave();
      attachments.clear();
    } else {
      edit.leave();
    }
    draft.flush();
    showButtons();
    slash.refresh();
    onSent();
  }
  function stop(): void {
    if (ui?.status === "running") host.post({ type: "stop" });
  }
  const sendButton = createButton({ label: t("Send"), icon: "send", look: "icon", onClick: () => send(false) });
  const stopButton = createButton({ label: t("Stop"), icon: "debug-stop", look: "icon", onClick: stop });
  const editorButton = createButton({
    label: t("Edit in editor"),
    icon: "go-to-file",
    look: "icon",
    onClick: () => host.post({ type: "editInEditor", text: attachments.expand(box.read()) }),
  });
  const stopping = el("span", "stopping", {}, [t("Stopping…")]);
  const buttons = el("div", "composer-buttons", {}, [
    editorButton.element,
    stopping,
    stopButton.element,
    sendButton.element,
  ]);
  tools.append(buttons);

  function showButtons(): void {
    const isStopping = ui?.status === "stopping";
    stopping.hidden = !isStopping;
    stopButton.element.hidden = ui?.status !== "running";
    sendButton.element.hidden = isBusy() && isEmpty();
    sendButton.setDisabled(isEmpty());
    showShellHint();
  }
  function onChanged(): void {
    isTouched = true;
    showButtons();
    draft.flush();
  }
  box.element.addEventListener("input", () => {
    isTouched = true;
    showButtons();
    attachments.refresh();
  });
  box.element.addEventListener("focusin", () => {
    const hint = suggestion.hint();
    if (hint !== undefined) sayPolitely(hint);
  });
  box.element.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (slash.takeKey(event) || mentions.takeKey(event) || history.takeKey(event) || suggestion.takeKey(event)) return;
    if (event.key === "Escape" && edit.current() !== undefined) {
      event.preventDefault();
      edit.leave();
      return;
    }
    if (event.key === "Escape" && isBusy()) {
      event.preventDefault();
      stop();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (ui && !ui.sendOnEnter && !isModified && !event.altKey) return;
    event.preventDefault();
    send(event.altKey && isBusy());
  });
  return {
    element,
    tools,
    stop,
    addFiles: attachments.addFiles,
    takeAttachments(next, mode) {
      attachments.take(next, mode);
      showButtons();
    },
    show(next) {
      ui = next;
      attachments.show(next);
      suggestion.show(next);
      box.setPlaceholder(wordPlaceholder(next.status));
      showButtons();
    },
    focus: box.focus,
    hasFocus: box.hasFocus,
    setDraft(text, mode) {
      const before = history.hiddenDraft() ?? box.read();
      history.leave();
      box.write(mode === "replace" || before === "" ? text : `${before}${before.endsWith("\n") ? "" : "\n"}${text}`);
      draft.flush();
      showButtons();
      slash.refresh();
    },
    editPrompt(prompt) {
      draft.flush();
      edit.begin(prompt);
    },
    takeDraft(text) {
      if (edit.keep(text)) return;
      history.leave();
      draft.take(text);
      attachments.refresh();
      showButtons();
      slash.refresh();
    },
    setCommands: slash.setCommands,
    setHistory: history.setEntries,
    setMentions: mentions.take,
    insert(text) {
      box.focus();
      box.insert(text);
    },
    addContexts: attachments.addContexts,
    takePreview: attachments.preview.take,
    isTouched: () => isTouched,
    flushDraft: draft.flush,
  };
}
