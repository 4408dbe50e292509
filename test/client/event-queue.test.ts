import { describe, expect, it } from "vitest";
import { EventHub } from "../../agent/client/event-hub.ts";
import { EventQueue, EventsUnread } from "../../agent/client/event-queue.ts";
import { type RunResult, RunWatch } from "../../agent/client/run-watch.ts";

const named = (name: string) => ({ type: "session_info_changed", name }) as const;

describe("EventQueue", () => {
  it("gives waiting readers one event each, in the order of their requests", async () => {
    const queue = new EventQueue(() => {});
    const reads = [queue.next(), queue.next()];
    queue.push(named("one"));
    queue.push(named("two"));
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([named("one"), named("two")]);
  });

  it("gives up on a reader that leaves more than 100,000 events unread", async () => {
    let detached = 0;
    const queue = new EventQueue(() => {
      detached += 1;
    });
    for (let index = 0; index <= 100_000; index += 1) queue.push(named("again"));
    await expect(queue.next()).rejects.toBeInstanceOf(EventsUnread);
    expect([await queue.next(), detached]).toEqual([{ done: true, value: undefined }, 1]);
  });

  it("fails the first of the waiting readers and ends the others", async () => {
    const queue = new EventQueue(() => {});
    const reads = Promise.allSettled([queue.next(), queue.next()]);
    queue.end(new Error("gone"));
    expect(await reads).toMatchObject([
      { status: "rejected", reason: { message: "gone" } },
      { status: "fulfilled", value: { done: true } },
    ]);
  });
});

describe("EventHub", () => {
  it("reports a listener that throws and continues with the others", () => {
    const mistakes: unknown[] = [];
    const heard: string[] = [];
    const hub = new EventHub((error) => mistakes.push(error));
    hub.listen(() => {
      throw "a mistake";
    });
    const off = hub.on("session_info_changed", ({ name }) => heard.push(name ?? ""));
    hub.on("agent_start", () => heard.push("not this"));
    hub.emit(named("one"));
    off();
    hub.emit(named("two"));
    expect([mistakes, heard]).toEqual([["a mistake", "a mistake"], ["one"]]);
  });
});

describe("RunWatch", () => {
  it("ignores the end of an earlier run that comes before the prompt is accepted", () => {
    const results: RunResult[] = [];
    const watch = new RunWatch((result) => results.push(result));
    watch.take({ type: "agent_settled", aborted: true });
    watch.accept("started");
    expect(results).toEqual([]);
    watch.take({ type: "agent_settled", aborted: false });
    expect(results).toEqual([{ disposition: "started", aborted: false, messages: [], text: "", answer: undefined }]);
  });

  it("ends at once when an extension handled the prompt", () => {
    const results: RunResult[] = [];
    new RunWatch((result) => results.push(result)).accept("handled");
    expect(results).toMatchObject([{ disposition: "handled", aborted: false, text: "" }]);
  });
});
