import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../agent/protocol/events.ts";
import type { AssistantMessage } from "../../../agent/protocol/messages.ts";
import { notificationText } from "../../../extension/editor/notification-text.ts";
import { decideSignal, type Onlooker, SIGNAL_SETTINGS } from "../../../extension/editor/signal.ts";
import { RunEnds } from "../../../extension/window/follow-chat.ts";

/** All situations, as words: who looks, what can be heard, and whether a dialog comes up by itself. */
function situations(): Onlooker[] {
  const both = [true, false];
  return SIGNAL_SETTINGS.flatMap((setting) =>
    both.flatMap((isWindowFocused) =>
      both.flatMap((isChatVisible) =>
        both.flatMap((canPlay) =>
          both.map((showsItself) => ({ setting, isWindowFocused, isChatVisible, canPlay, showsItself })),
        ),
      ),
    ),
  );
}

function words(onlooker: Onlooker): string {
  const { hasNotification, hasSound } = decideSignal(onlooker);
  return (
    [hasNotification ? "notification" : "", hasSound ? "sound" : ""].filter((word) => word !== "").join("+") || "-"
  );
}

const isLooking = ({ isWindowFocused, isChatVisible }: Onlooker) => isWindowFocused && isChatVisible;

describe("a notification signal", () => {
  test("is never given to a user who looks at the chat", () => {
    const looking = situations().filter(isLooking);
    expect(looking).toHaveLength(16);
    expect(new Set(looking.map(words))).toEqual(new Set(["-"]));
  });

  test("is the configured one, once, for a user who is elsewhere, in any way", () => {
    const elsewhere = situations().filter((onlooker) => !isLooking(onlooker));
    expect(elsewhere).toHaveLength(48);
    const byCase = new Map(
      elsewhere.map((onlooker) => {
        const { setting, canPlay, showsItself } = onlooker;
        return [`${setting}${canPlay ? "" : ", mute"}${showsItself ? ", dialog" : ""}`, words(onlooker)];
      }),
    );
    expect(Object.fromEntries(byCase)).toEqual({
      off: "-",
      "off, dialog": "-",
      "off, mute": "-",
      "off, mute, dialog": "-",
      notification: "notification",
      "notification, dialog": "-",
      "notification, mute": "notification",
      "notification, mute, dialog": "-",
      sound: "sound",
      "sound, dialog": "sound",
      "sound, mute": "notification",
      "sound, mute, dialog": "-",
      both: "notification+sound",
      "both, dialog": "sound",
      "both, mute": "notification",
      "both, mute, dialog": "-",
    });
  });

  test("is the same when the window has no focus and when the chat is hidden", () => {
    const ways = [
      { isWindowFocused: false, isChatVisible: true },
      { isWindowFocused: true, isChatVisible: false },
      { isWindowFocused: false, isChatVisible: false },
    ];
    for (const onlooker of situations()) {
      const told = ways.map((way) => words({ ...onlooker, ...way }));
      expect(new Set(told).size).toBe(1);
    }
  });
});

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const start: AgentEvent = { type: "agent_start" };
const turn = (stopReason: AssistantMessage["stopReason"]): AgentEvent => ({
  type: "turn_end",
  message: {
    role: "assistant",
    content: [],
    api: "demo",
    provider: "demo",
    model: "demo",
    usage,
    stopReason,
    timestamp: 1,
  },
  toolResults: [],
});
const settled = (aborted = false): AgentEvent => ({ type: "agent_settled", aborted });

/** Returns the reports during events; `crash` and `crash for good` are ends of the process. */
function told(...events: (AgentEvent | "crash" | "crash for good")[]): (string | undefined)[] {
  const ends = new RunEnds();
  return events
    .map((event) => (typeof event === "string" ? ends.crashed(event === "crash") : ends.observe(event)))
    .filter((end) => end !== undefined);
}

describe("the text of a notification", () => {
  test("has no link that runs a command, and looks unchanged", () => {
    expect(notificationText("a [b](command:c) [d][0](e)")).toBe("a [b]\u200b(command:c) [d][0]\u200b(e)");
  });
});

describe("the end of a run", () => {
  test("is reported once, as done or failed", () => {
    expect(told(start, turn("toolUse"), turn("stop"), settled())).toEqual(["done"]);
    expect(told(start, turn("error"), settled())).toEqual(["failed"]);
    expect(told(start, turn("stop"), settled(), settled(), start, turn("stop"), settled())).toEqual(["done", "done"]);
  });

  test("is not reported to the user who stopped the run", () => {
    expect(told(start, turn("aborted"), settled(true))).toEqual([]);
    expect(told(settled(true), settled(false))).toEqual([]);
  });

  test("is a success when a later attempt succeeds", () => {
    expect(told(start, turn("error"), start, turn("stop"), settled())).toEqual(["done"]);
  });

  test("is a failure when the process ends, once however often it crashes", () => {
    expect(told(start, "crash", "crash", "crash for good")).toEqual(["failed"]);
    expect(told(start, turn("error"), settled(), "crash for good")).toEqual(["failed"]);
  });

  test("is not reported when nothing runs and the agent is restarted", () => {
    expect(told("crash", start, turn("stop"), settled(), "crash")).toEqual(["done"]);
    expect(told("crash for good", "crash for good")).toEqual(["failed"]);
  });
});
