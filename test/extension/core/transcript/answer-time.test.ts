import { describe, expect, it } from "vitest";
import { assistant, call, TranscriptHarness } from "./transcript-harness.ts";

const question = { type: "extension_ui_request", method: "confirm", title: "Sure?", message: "" } as const;
const settled = (requestId: string) =>
  ({ type: "host_dialog_settled", requestId, state: "answered", answer: "Yes" }) as const;

function started(): TranscriptHarness {
  const chat = new TranscriptHarness();
  chat.dispatch({ type: "agent_start" });
  const message = assistant({ content: [call("c1", "bash", { command: "make" })], stopReason: "toolUse" });
  chat.dispatch({ type: "message_start", message }, 1_000);
  chat.dispatch({ type: "message_end", message });
  return chat;
}

function timeOf(chat: TranscriptHarness): unknown {
  const footer = chat.items().find(({ kind }) => kind === "footer");
  return footer?.kind === "footer" ? footer.durationMs : undefined;
}

describe("the time of an answer", () => {
  it("doesn't count how long questions wait for the user, once for several at a time", () => {
    const chat = started();
    chat.dispatch({ ...question, id: "q1" }, 2_000);
    chat.dispatch({ ...question, id: "q2" }, 4_000);
    chat.dispatch(settled("q1"), 10_000);
    chat.dispatch(settled("q2"), 20_000);
    chat.dispatch({ type: "agent_end", messages: [], willRetry: false, willContinue: false }, 500);
    chat.dispatch({ type: "agent_settled", aborted: false });
    expect(timeOf(chat)).toBe(2_500);
  });

  it("doesn't count a question that nobody answers either", () => {
    const chat = started();
    chat.dispatch({ ...question, id: "q1" }, 2_000);
    chat.dispatch({ type: "agent_settled", aborted: true }, 60_000);
    expect(timeOf(chat)).toBe(2_000);
  });
});
