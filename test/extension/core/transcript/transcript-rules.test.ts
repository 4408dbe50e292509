import { describe, expect, it } from "vitest";
import type { AgentMessage } from "../../../../agent/protocol/messages.ts";
import { itemsFromMessages } from "../../../../extension/core/transcript/reduce.ts";
import { assistant, call, result, TranscriptHarness, user } from "./transcript-harness.ts";

/** The hidden message by which the model learns of rules. */
function ruleMessage(details: unknown): AgentMessage {
  return { role: "custom", customType: "ttsr-injection", content: "Mind it.", display: false, details, timestamp: 0 };
}

const stopped = assistant({ content: [{ type: "text", text: "const x: any" }], stopReason: "aborted" });
const goesOn = assistant({ content: [{ type: "text", text: "const x: number" }] });

/** A run that rules interrupt once. */
function interruptedRun(details: unknown): TranscriptHarness {
  const harness = new TranscriptHarness();
  const whole = (message: AgentMessage) => {
    harness.dispatch({ type: "message_start", message });
    harness.dispatch({ type: "message_end", message });
  };
  harness.dispatch({ type: "agent_start" });
  whole(user("go"));
  harness.dispatch({ type: "message_start", message: { ...stopped, content: [] } });
  const delta = { type: "text_delta", contentIndex: 0, delta: "const x: any" } as const;
  harness.dispatch({ type: "message_update", assistantMessageEvent: delta });
  harness.dispatch({ type: "ttsr_triggered", rules: [{ name: "no-any", content: "Mind it." }] });
  harness.dispatch({ type: "message_end", message: stopped });
  harness.dispatch({ type: "agent_end", messages: [], willRetry: false, willContinue: true });
  harness.dispatch({ type: "agent_start" });
  whole(ruleMessage(details));
  whole(goesOn);
  harness.dispatch({ type: "agent_end", messages: [], willRetry: false, willContinue: false });
  harness.dispatch({ type: "agent_settled", aborted: false });
  return harness;
}

const told = (items: readonly { kind: string; text?: string }[]) =>
  items.filter(({ kind }) => kind !== "footer").map(({ kind, text }) => [kind, text]);

describe("an answer that a rule interrupts", () => {
  const expected = [
    ["prompt", "go"],
    ["text", "const x: any"],
    ["notice", "Rule no-any interrupted the response."],
    ["text", "const x: number"],
  ];

  it("keeps its text, a quiet line reports the rule, and it continues", () => {
    const items = interruptedRun({ rules: ["no-any"] }).items();
    expect(told(items)).toEqual(expected);
    expect(items.find(({ kind }) => kind === "notice")).toMatchObject({ level: "info" });
  });

  it("looks the same when the conversation is opened again", () => {
    const messages = [user("go"), stopped, ruleMessage({ rules: ["no-any"] }), goesOn];
    expect(told(itemsFromMessages(messages, { idPrefix: "t", cwd: "/work" }))).toEqual(expected);
  });

  it("names several rules, and counts many", () => {
    const notice = (rules: string[]) => told(interruptedRun({ rules }).items())[2];
    expect(notice(["a", "b"])).toEqual(["notice", "Rules a, b interrupted the response."]);
    const many = ["a", "b", "c", "d", "e", "f", "g"];
    expect(notice(many)).toEqual(["notice", "Rules a, b, c, d, e and 2 more interrupted the response."]);
  });

  it.each([undefined, { rules: [] }, { rules: "no-any" }, 7])("shows no line when its details are %j", (details) => {
    expect(told(interruptedRun(details).items())).toEqual(expected.filter(([kind]) => kind !== "notice"));
  });

  it("shows the calls that it did not run as cancelled", () => {
    const withCall = assistant({ content: [call("c1", "bash", { command: "true" })], stopReason: "aborted" });
    const refused = {
      ...result("c1", "bash", "Tool execution was aborted: Request was aborted"),
      isError: true,
      stopped: "aborted" as const,
    };
    const messages = [user("go"), withCall, refused, ruleMessage({ rules: ["no-any"] }), goesOn];
    const items = itemsFromMessages(messages, { idPrefix: "t", cwd: "/work" });
    expect(items.map(({ kind }) => kind)).toEqual(["prompt", "tool", "notice", "text", "footer"]);
    expect(items[1]).toMatchObject({ state: "cancelled" });
  });
});
