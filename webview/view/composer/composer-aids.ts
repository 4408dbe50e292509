import type { Host } from "../../host.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { TextBox } from "../common/controls.ts";
import { type Attachments, createAttachments } from "./attachments.ts";
import { type DraftKeeper, keepDraft } from "./draft-keeper.ts";
import { createMentionList, type MentionList } from "./mention-list.ts";
import { createPromptEdit, type PromptEdit } from "./prompt-edit.ts";
import { createPromptHistory, type PromptHistory } from "./prompt-history.ts";
import { createSlashList, type SlashList } from "./slash-list.ts";
import { createSuggestion, type Suggestion } from "./suggestion.ts";

/** Helpers for writing a message. */
export interface ComposerAids {
  readonly slash: SlashList;
  readonly mentions: MentionList;
  readonly history: PromptHistory;
  /** An earlier message in place of the draft. */
  readonly edit: PromptEdit;
  readonly draft: DraftKeeper;
  readonly suggestion: Suggestion;
  readonly attachments: Attachments;
  /** The draft, wherever it stands. */
  draftText(): string;
}

interface ComposerAidsOptions {
  box: TextBox;
  host: Host;
  say(text: string): void;
  /** An aid has changed the message. */
  onChanged(): void;
  /** The box holds another message. */
  onReplaced(): void;
}

/** Makes the aids of a text box and joins those that work on each other. They listen to the box in this order. */
export function createAids({ box, host, say, onChanged, onReplaced }: ComposerAidsOptions): ComposerAids {
  const addContexts = (chips: readonly ContextAttachment[]) => attachments.addContexts(chips);
  const slash = createSlashList({ box, host, say, onChanged });
  const mentions = createMentionList({ box, host, say, onChanged, addContexts });
  const history = createPromptHistory({
    box,
    host,
    say,
    onChanged: () => {
      onChanged();
      slash.refresh();
      attachments.refresh();
    },
    recalled: addContexts,
  });
  const draftText = () => history.hiddenDraft() ?? box.read();
  const edit = createPromptEdit({
    read: () => ({ text: draftText(), attachments: attachments.all() }),
    write(text, attached) {
      history.leave();
      box.write(text);
      attachments.take(attached, "replace");
      onReplaced();
      box.focus();
    },
    say,
  });
  const draft = keepDraft({ box, host, hiddenDraft: () => edit.hiddenDraft() ?? history.hiddenDraft() });
  const preview = (chip: ContextAttachment) => attachments.preview.toggle(chip);
  const suggestion = createSuggestion({ host, accept: addContexts, preview, focusComposer: box.focus, say });
  const isAside = () => edit.current() !== undefined;
  const suggested = () => suggestion.taken();
  const attachments = createAttachments({ box, host, draftText, isAside, suggested, say, onChanged });
  return { slash, mentions, history, edit, draft, suggestion, attachments, draftText };
}
