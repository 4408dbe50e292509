import { takeApart } from "../mentions/sent-chips.ts";
import type { Fold, WaitingTexts } from "./transcript-state.ts";

/** Shows the queued messages: their texts, and the names of their attachments. */
export function showQueue(fold: Fold, { steering, followUp }: WaitingTexts): void {
  const { queueChips: _, ...ui } = fold.state.ui;
  const queues = { steering: steering.map(wordsOf), followUp: followUp.map(wordsOf) };
  const hasChips = [...queues.steering, ...queues.followUp].some(({ chips }) => chips.length > 0);
  const chips = (queue: readonly { chips: string[] }[]) => queue.map((message) => message.chips);
  fold.state.waiting = { steering, followUp };
  fold.state.ui = {
    ...ui,
    steering: queues.steering.map(({ text }) => text),
    followUp: queues.followUp.map(({ text }) => text),
    ...(hasChips ? { queueChips: { steering: chips(queues.steering), followUp: chips(queues.followUp) } } : {}),
  };
}

function wordsOf(message: string): { text: string; chips: string[] } {
  const { text, contexts } = takeApart(message, "");
  return { text, chips: contexts.map(({ label }) => label) };
}
