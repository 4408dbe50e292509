import { describe, expect, it } from "vitest";
import { DialogHub } from "../../agent/rpc/wire/dialogs.ts";
import { asRecord } from "../support/spawn-agent.ts";

function open() {
  const frames: Record<string, unknown>[] = [];
  const hub = new DialogHub((frame) => frames.push(asRecord(frame)));
  const idOf = (index: number) => String(frames[index]?.id);
  const answer = (index: number, fields: object) =>
    hub.answer({ type: "extension_ui_response", id: idOf(index), ...fields });
  return { frames, hub, idOf, answer };
}

describe("dialogs", () => {
  it("ask in a frame of their own and return the answer", async () => {
    const { frames, hub, answer } = open();
    const answers = Promise.all([
      hub.select("Which?", ["a", "b"], { timeoutMs: 5000 }),
      hub.confirm("Sure?", "It is final."),
      hub.input("Name?", "Your name"),
      hub.editor("Text", "so far"),
    ]);
    const head = { type: "extension_ui_request", id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(frames).toEqual([
      { ...head, method: "select", title: "Which?", options: ["a", "b"], timeout: 5000 },
      { ...head, method: "confirm", title: "Sure?", message: "It is final." },
      { ...head, method: "input", title: "Name?", placeholder: "Your name" },
      { ...head, method: "editor", title: "Text", prefill: "so far" },
    ]);
    expect(new Set(frames.map(({ id }) => id)).size).toBe(4);
    answer(0, { value: "b" });
    answer(1, { confirmed: true });
    answer(2, { value: "Zoë" });
    answer(3, { value: "so far\nand on" });
    expect(await answers).toEqual(["b", true, "Zoë", "so far\nand on"]);
    expect(frames).toHaveLength(4);
  });

  it.each([
    ["that are cancelled", { cancelled: true }],
    ["that are cancelled beside an answer", { cancelled: true, value: "a", confirmed: true }],
    ["that timed out at the host", { cancelled: true, timedOut: true }],
    ["that are answered with nothing", {}],
    ["that are answered in the form of the other kind", { value: 5, confirmed: "yes" }],
  ])("%s get their default", async (_, answered) => {
    const { hub, answer } = open();
    const answers = Promise.all([hub.input("Name?"), hub.confirm("Sure?", "Really?"), hub.select("Which?", ["a"])]);
    for (const index of [0, 1, 2]) answer(index, answered);
    expect(await answers).toEqual([undefined, false, undefined]);
  });

  it("that time out get their default, are withdrawn and accept no late answer", async () => {
    const { frames, hub, idOf, answer } = open();
    expect(await hub.confirm("Sure?", "Really?", { timeoutMs: 1 })).toBe(false);
    expect(frames[1]).toMatchObject({ method: "cancel", targetId: idOf(0) });
    answer(0, { confirmed: true });
    expect(frames).toHaveLength(2);
  });

  it("whose signal aborts get their default and are withdrawn", async () => {
    const { frames, hub, idOf } = open();
    const controller = new AbortController();
    const answer = hub.editor("Text", "", { signal: controller.signal });
    controller.abort();
    expect(await answer).toBeUndefined();
    expect(frames[1]).toMatchObject({ method: "cancel", targetId: idOf(0) });
  });

  it("whose signal is already aborted are not shown", async () => {
    const { frames, hub } = open();
    expect(await hub.confirm("Sure?", "Really?", { signal: AbortSignal.abort() })).toBe(false);
    expect(frames).toEqual([]);
  });

  it.each([0, -1, Number.NaN])("with a timeout of %d have no timeout", async (timeoutMs) => {
    const { frames, hub, answer } = open();
    const name = hub.input("Name?", undefined, { timeoutMs });
    expect(frames[0]).not.toHaveProperty("timeout");
    answer(0, { value: "later" });
    expect(await name).toBe("later");
  });

  it("ignore an answer to an unknown question", async () => {
    const { frames, hub, answer } = open();
    const name = hub.input("Name?");
    hub.answer({ type: "extension_ui_response", id: "nobody", value: "x" });
    answer(0, { value: "first" });
    answer(0, { value: "second" });
    expect(await name).toBe("first");
    expect(frames).toHaveLength(1);
  });

  it("can be answered in any order", async () => {
    const { hub, answer } = open();
    const names = Promise.all([hub.input("First?"), hub.input("Second?")]);
    answer(1, { value: "two" });
    answer(0, { value: "one" });
    expect(await names).toEqual(["one", "two"]);
  });

  it("get their default when the host disconnects, and so do later ones", async () => {
    const { frames, hub } = open();
    const answer = hub.input("Name?");
    hub.close();
    expect(await answer).toBeUndefined();
    expect(await hub.confirm("Sure?", "Really?")).toBe(false);
    expect(frames).toHaveLength(1);
  });
});
