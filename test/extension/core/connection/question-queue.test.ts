import { describe, expect, test } from "vitest";
import type { DialogRequest } from "../../../../agent/protocol/dialogs.ts";
import {
  type Answer,
  type Question,
  QuestionQueue,
  wireAnswer,
} from "../../../../extension/core/connection/question-queue.ts";

interface Shown {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly isWanted: boolean;
  readonly answer: (answer: Answer | undefined) => void;
}

const EDITED = { before: "one\n", after: "two\n" };

/** A queue whose surroundings write down what they are asked to do. */
function createQueue() {
  const shown: Shown[] = [];
  const replies: [string, Answer][] = [];
  const settled: [string, Question["state"], string | undefined][] = [];
  const failures: unknown[] = [];
  const queue = new QuestionQueue({
    present: (question, signal, isWanted) =>
      new Promise((resolve) => {
        if (question.request.title === "throws") throw new Error("no window");
        shown.push({ id: question.request.id, signal, isWanted, answer: resolve });
      }),
    complete: (id, answer) => (id === "edited" ? { type: "value", value: "yes", edited: EDITED } : answer),
    changed: ({ request, state, answer }) => {
      if (state !== "pending") settled.push([request.id, state, answer]);
    },
    reply: (id, answer) => replies.push([id, answer]),
    failed: (_, error) => failures.push(error),
  });
  return { queue, shown, replies, settled, failures };
}

function ask(id: string, more: { timeout?: number; title?: string } = {}): DialogRequest {
  return { type: "extension_ui_request", id, method: "input", title: id, ...more };
}

const settleMicrotasks = () => new Promise((resolve) => setImmediate(resolve));

describe("QuestionQueue", () => {
  test("sends an answer together with the text from another place", () => {
    const { queue, replies } = createQueue();
    queue.add(ask("edited"));
    queue.add(ask("plain"));
    queue.answer("edited", { type: "value", value: "yes" });
    queue.answer("plain", { type: "value", value: "no" });
    expect(replies.map(([id, answer]) => [id, wireAnswer(answer)])).toEqual([
      ["edited", { value: "yes", edited: EDITED }],
      ["plain", { value: "no" }],
    ]);
  });

  test("shows questions one after the other, oldest first", async () => {
    const { queue, shown, replies } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("b"));
    expect(shown.map(({ id }) => id)).toEqual(["a"]);
    shown[0]?.answer({ type: "value", value: "yes" });
    await settleMicrotasks();
    expect(shown.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(replies).toEqual([["a", { type: "value", value: "yes" }]]);
  });

  test("closes the dialog after an answer from the panel, and drops the dialog's own answer", async () => {
    const { queue, shown, replies, settled } = createQueue();
    queue.add(ask("a"));
    expect(queue.answer("a", { type: "confirmed", confirmed: true })).toBe(true);
    expect(shown[0]?.signal.aborted).toBe(true);
    shown[0]?.answer({ type: "cancelled" });
    await settleMicrotasks();
    expect(queue.answer("a", { type: "cancelled" })).toBe(false);
    expect(replies).toEqual([["a", { type: "confirmed", confirmed: true }]]);
    expect(settled).toEqual([["a", "answered", "Yes"]]);
  });

  test("lets the panel answer a question whose dialog has not had its turn", async () => {
    const { queue, shown, replies } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("b"));
    queue.answer("b", { type: "value", value: "early" });
    shown[0]?.answer({ type: "value", value: "late" });
    await settleMicrotasks();
    expect(replies.map(([id]) => id)).toEqual(["b", "a"]);
    expect(shown.map(({ id }) => id)).toEqual(["a"]);
  });

  test("keeps a postponed question pending, lets the next one through, and can show it again", async () => {
    const { queue, shown, replies } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("b"));
    shown[0]?.answer(undefined);
    await settleMicrotasks();
    expect(shown.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(queue.pending.map(({ request }) => request.id)).toEqual(["a", "b"]);
    expect(queue.show("a")).toBe(true);
    expect(shown[1]?.signal.aborted).toBe(true);
    shown[2]?.answer({ type: "value", value: "at last" });
    await settleMicrotasks();
    expect(replies).toEqual([["a", { type: "value", value: "at last" }]]);
    expect(shown.map(({ id }) => id)).toEqual(["a", "b", "a", "b"]);
  });

  test("says whether the user has asked to see a question, which can also be shown again without that", async () => {
    const { queue, shown } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("b"));
    shown[0]?.answer(undefined);
    await settleMicrotasks();
    shown[1]?.answer(undefined);
    await settleMicrotasks();
    queue.remind();
    expect(shown.map(({ id, isWanted }) => [id, isWanted])).toEqual([
      ["a", false],
      ["b", false],
      ["a", false],
    ]);
    shown[2]?.answer(undefined);
    await settleMicrotasks();
    queue.show("b");
    expect(shown.at(-1)).toMatchObject({ id: "b", isWanted: true });
  });

  test("closes a question that the agent withdraws, without an answer", async () => {
    const { queue, shown, replies, settled } = createQueue();
    queue.add(ask("a"));
    queue.withdraw("a");
    queue.withdraw("never asked");
    expect(shown[0]?.signal.aborted).toBe(true);
    expect(replies).toEqual([]);
    expect(settled).toEqual([["a", "cancelled", undefined]]);
  });

  test("answers a question as timed out when its time is up", async () => {
    const { queue, shown, replies, settled } = createQueue();
    queue.add(ask("a", { timeout: 5 }));
    await expect.poll(() => replies).toEqual([["a", { type: "cancelled", timedOut: true }]]);
    expect(shown[0]?.signal.aborted).toBe(true);
    expect(settled).toEqual([["a", "timedOut", undefined]]);
    queue.withdraw("a");
    expect(settled).toHaveLength(1);
  });

  test("closes every question without an answer when the agent is gone", () => {
    const { queue, shown, replies, settled } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("b", { timeout: 60_000 }));
    queue.withdrawAll();
    expect(shown.map(({ id, signal }) => [id, signal.aborted])).toEqual([["a", true]]);
    expect(replies).toEqual([]);
    expect(settled.map(([id, state]) => [id, state])).toEqual([
      ["a", "cancelled"],
      ["b", "cancelled"],
    ]);
    expect(queue.pending).toEqual([]);
    expect(queue.show()).toBe(false);
  });

  test("keeps a question pending when its dialog fails", async () => {
    const { queue, failures } = createQueue();
    queue.add(ask("a", { title: "throws" }));
    await settleMicrotasks();
    expect(failures).toEqual([new Error("no window")]);
    expect(queue.pending).toHaveLength(1);
  });

  test("treats the same id twice as one question", () => {
    const { queue, shown } = createQueue();
    queue.add(ask("a"));
    queue.add(ask("a"));
    expect(queue.pending).toHaveLength(1);
    expect(shown).toHaveLength(1);
  });
});
