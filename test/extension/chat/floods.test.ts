import { describe, expect, it } from "vitest";
import { createErrorLog } from "../../../extension/chat/extension-errors.ts";
import { ToastLimit } from "../../../extension/editor/toast-limit.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { TranscriptHarness } from "../core/transcript/transcript-harness.ts";

const texts = (items: readonly TranscriptItem[]) =>
  items.map((item) => (item.kind === "notice" ? item.text : item.kind));

function notify(chat: TranscriptHarness, message: string, atMs = 0): void {
  chat.dispatch({ type: "extension_ui_request", id: "n", method: "notify", message, notifyType: "info" }, atMs);
}

function fail(chat: TranscriptHarness, error: string, extensionPath = "/work/.tiller/extensions/a.ts"): void {
  chat.dispatch({ type: "extension_error", extensionPath, event: "tool_call", error });
}

describe("notices of extensions", () => {
  it("are shown once with a count when they repeat", () => {
    const chat = new TranscriptHarness();
    for (let at = 0; at < 3; at += 1) notify(chat, "Index is ready", at);
    notify(chat, "Other", 4);
    expect(texts(chat.items())).toEqual(["Index is ready (3 times)", "Other"]);
  });

  it("are limited to twenty in a flood, with one that counts the rest and lists the last", () => {
    const chat = new TranscriptHarness();
    for (let at = 0; at < 10_000; at += 1) notify(chat, `notice ${at}`, at);
    expect(chat.items()).toHaveLength(21);
    const last = chat.items().at(-1);
    expect(last).toMatchObject({ kind: "notice", text: "9,980 more notices" });
    expect(last?.kind === "notice" && last.detail?.split("\n")).toHaveLength(21);
    expect(last?.kind === "notice" && last.detail?.endsWith("\nnotice 9999")).toBe(true);
  });

  it("are shown individually again after a pause", () => {
    const chat = new TranscriptHarness();
    for (let at = 0; at < 30; at += 1) notify(chat, `notice ${at}`, at);
    notify(chat, "later", 3_000);
    expect(texts(chat.items()).slice(-2)).toEqual(["10 more notices", "later"]);
  });
});

describe("widgets and status lines of extensions", () => {
  it("are limited to the newest twenty", () => {
    const chat = new TranscriptHarness();
    const request = { type: "extension_ui_request", id: "w" } as const;
    for (let at = 0; at < 50; at += 1) {
      chat.dispatch({ ...request, method: "setWidget", widgetKey: `k${at}`, widgetLines: [`${at}`] });
      chat.dispatch({ ...request, method: "setStatus", statusKey: `k${at}`, statusText: `${at}` });
    }
    expect(chat.state.ui.widgets).toHaveLength(20);
    expect(chat.state.ui.statuses.at(0)).toEqual({ key: "k30", text: "30" });
  });
});

describe("errors of extensions", () => {
  it("are shown once each, without emphasis, with the file and a count", () => {
    const chat = new TranscriptHarness();
    for (let count = 0; count < 1_200; count += 1) fail(chat, "boom");
    fail(chat, "bang", "/home/me/b.ts");
    expect(chat.items()).toEqual([
      {
        id: "t-1",
        kind: "notice",
        level: "info",
        text: "Extension .tiller/extensions/a.ts failed in tool_call (1,200 times)",
        detail: "boom",
        action: { label: "Show Log", command: "tiller.showLog" },
      },
      {
        id: "t-2",
        kind: "notice",
        level: "info",
        text: "Extension /home/me/b.ts failed in tool_call",
        detail: "bang",
        action: { label: "Show Log", command: "tiller.showLog" },
      },
    ]);
  });

  it("are limited to twenty different ones, with one that counts the rest", () => {
    const chat = new TranscriptHarness();
    for (let count = 0; count < 5_000; count += 1) fail(chat, `boom ${count}`);
    expect(chat.items()).toHaveLength(21);
    expect(texts(chat.items()).at(-1)).toBe("More extension errors (4,980 times)");
  });

  it("are logged once each, at most a hundred", () => {
    const lines: string[] = [];
    const ignore = () => {};
    const log = createErrorLog({ debug: ignore, info: ignore, error: ignore, warn: (line) => lines.push(line) });
    const error = { type: "extension_error", extensionPath: "a.ts", event: "input" } as const;
    for (let count = 0; count < 300; count += 1) log({ ...error, error: `boom ${count % 150}` });
    expect(lines).toHaveLength(101);
    expect([lines[0], lines[100]]).toEqual([
      "Extension a.ts failed in input: boom 0",
      "Extensions failed in more ways, which are not logged.",
    ]);
  });
});

describe("ToastLimit", () => {
  it("shows three in a row, says once that there are more, and skips repeated ones", () => {
    const limit = new ToastLimit();
    const verdicts = ["a", "a", "b", "c", "d", "e", "f"].map((text, at) => limit.judge(text, at));
    expect(verdicts).toEqual(["show", "skip", "show", "show", "more", "skip", "skip"]);
    expect(limit.judge("f", 20_000)).toBe("show");
  });
});
