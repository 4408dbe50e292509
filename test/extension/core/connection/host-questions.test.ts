import { describe, expect, it } from "vitest";
import type { DialogRequest } from "../../../../agent/protocol/dialogs.ts";
import { HostQuestions } from "../../../../extension/core/connection/host-questions.ts";

function setUp() {
  const asked: DialogRequest[] = [];
  const withdrawn: string[] = [];
  const questions = new HostQuestions({
    add: (request) => asked.push(request),
    withdraw: (id) => withdrawn.push(id),
  });
  return { asked, withdrawn, questions };
}

const QUESTION = { method: "select" as const, title: "Which?", options: ["a", "b"] };

describe("a question from the editor side", () => {
  it("is listed with those of the agent and answered once", async () => {
    const { asked, questions } = setUp();
    const answer = questions.ask(QUESTION, new AbortController().signal);
    const id = asked[0]?.id ?? "";
    expect(asked).toMatchObject([{ type: "extension_ui_request", title: "Which?", options: ["a", "b"] }]);
    expect(questions.take(id, { type: "value", value: "b" })).toBe(true);
    expect(questions.take(id, { type: "value", value: "a" })).toBe(false);
    expect(await answer).toEqual({ type: "value", value: "b" });
  });

  it("leaves answers to questions of the agent alone", () => {
    expect(setUp().questions.take("q1", { type: "cancelled" })).toBe(false);
  });

  it("is withdrawn when its call is cancelled, before and after it was asked", async () => {
    const { asked, withdrawn, questions } = setUp();
    const controller = new AbortController();
    const answer = questions.ask(QUESTION, controller.signal);
    controller.abort();
    expect(await answer).toEqual({ type: "cancelled" });
    expect(await questions.ask(QUESTION, controller.signal)).toEqual({ type: "cancelled" });
    expect(withdrawn).toEqual(asked.map(({ id }) => id));
  });

  it("counts as not answered when the agent is gone", async () => {
    const { questions } = setUp();
    const answer = questions.ask(QUESTION, new AbortController().signal);
    questions.endAll();
    expect(await answer).toEqual({ type: "cancelled" });
  });
});
