import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { EarlierPrompt } from "../../protocol/to-panel.ts";
import type { TextBox } from "../common/controls.ts";

/** The earlier messages of the workspace, walked with Up and Down in the composer. */
export interface PromptHistory {
  /** Takes a key of the composer. @returns whether it was meant for the history. */
  takeKey(event: KeyboardEvent): boolean;
  /** The answer to `listHistory`, the latest first. */
  setEntries(entries: readonly EarlierPrompt[]): void;
  /** The draft while the box shows an earlier message as it was; undefined when the box holds the draft. */
  hiddenDraft(): string | undefined;
  /** The box contains the draft. */
  leave(): void;
}

interface PromptHistoryOptions {
  box: TextBox;
  host: Host;
  say(text: string): void;
  /** The text has been replaced. */
  onChanged(): void;
  /** These chips have their marks in the text. */
  recalled(contexts: readonly ContextAttachment[]): void;
}

/** Makes the history. Slot 0 is the draft; what is typed into an earlier message stays in its slot until something is sent. */
export function createPromptHistory({ box, host, say, onChanged, recalled }: PromptHistoryOptions): PromptHistory {
  let entries: readonly EarlierPrompt[] = [];
  let slot = 0;
  let edited = new Map<number, string>();
  /** The number of times Up was pressed since the request to the host, and the text at that time. */
  let asked: { steps: number; text: string } | undefined;

  const original = (at: number) => entries[at - 1]?.text ?? "";
  const isEarlier = () => slot > 0 && box.read() === original(slot);
  const isUnchanged = () => box.read() === "" || isEarlier();

  function go(to: number, caret: "start" | "end"): void {
    edited.set(slot, box.read());
    slot = to;
    const text = edited.get(to) ?? original(to);
    box.write(text);
    if (caret === "start") box.select(0, 0);
    say(to === 0 ? t("Draft: {0}", text) : t("Earlier message {0} of {1}: {2}", to, entries.length, text));
    onChanged();
    const contexts = entries[to - 1]?.contexts ?? [];
    if (contexts.length > 0) recalled(contexts);
  }
  function goUp(): boolean {
    if (!leavesUp(box, isUnchanged())) return false;
    if (asked !== undefined) asked.steps += 1;
    else if (slot === 0) {
      asked = { steps: 1, text: box.read() };
      host.post({ type: "listHistory" });
    } else if (slot < entries.length) go(slot + 1, "start");
    return true;
  }
  function goDown(): boolean {
    if (slot === 0 || !leavesDown(box, isUnchanged())) return false;
    go(slot - 1, "end");
    return true;
  }
  function leave(): void {
    slot = 0;
    asked = undefined;
    edited = new Map();
  }
  return {
    leave,
    takeKey(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
      const isTaken = (event.key === "ArrowUp" && goUp()) || (event.key === "ArrowDown" && goDown());
      if (isTaken) event.preventDefault();
      return isTaken;
    },
    setEntries(next) {
      const wish = asked;
      if (wish === undefined || slot !== 0) return;
      asked = undefined;
      entries = next;
      // Whoever has typed meanwhile does not want another text.
      if (entries.length > 0 && box.read() === wish.text) go(Math.min(wish.steps, entries.length), "start");
    },
    hiddenDraft: () => (isEarlier() ? (edited.get(0) ?? "") : undefined),
  };
}

/** True if Up cannot move the cursor further up. In a changed text, only the very start counts. */
function leavesUp(box: TextBox, isUnchanged: boolean): boolean {
  const { start, end } = box.selection();
  return start === end && (isUnchanged ? !box.read().slice(0, start).includes("\n") : start === 0);
}

/** True if Down cannot move the cursor further down. In a changed text, only the very end counts. */
function leavesDown(box: TextBox, isUnchanged: boolean): boolean {
  const { start, end } = box.selection();
  const text = box.read();
  return start === end && (isUnchanged ? !text.slice(end).includes("\n") : end === text.length);
}
