import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const MESSAGES = 100;

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  let asked = 0;
  const answer = () => {
    model.enqueue(answer);
    asked += 1;
    return asked % 3 === 0 ? reply([toolCall("read", { path: "missing" })]) : reply([text("Yes.", { chunks: 4 })]);
  };
  model.enqueue(answer);
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.close();
});

/** When a message is sent: so many frames after the answer to the one before it. Few of them take back what waits. */
const moments = fc.sample(
  fc.record({
    streamingBehavior: fc.constantFrom("steer", "followUp"),
    frames: fc.nat({ max: 12 }),
    takesBack: fc.nat({ max: 19 }).map((at) => at === 0),
  }),
  { numRuns: MESSAGES, seed: 4711 },
);

function isIdle(): boolean {
  const last = agent.frames.findLast(({ type }) => type === "agent_start" || type === "agent_settled");
  return last?.type === "agent_settled";
}

/** The user's messages that were read, in the order in which they were. */
function read(): string[] {
  return agent.frames.flatMap(({ type, message }) => {
    const { role, content } = asRecord(message);
    if (type !== "message_end" || role !== "user" || !Array.isArray(content)) return [];
    return [content.map((block: unknown) => String(asRecord(block).text)).join("")];
  });
}

describe("a hundred messages at random moments", () => {
  it("are each either read or given back exactly once, and each kind stays in order", async () => {
    const sent: string[] = [];
    const givenBack: unknown[] = [];
    for (const { streamingBehavior, frames, takesBack } of moments) {
      const message = `${streamingBehavior} ${sent.length}`;
      await agent.call("prompt", { message, streamingBehavior });
      sent.push(message);
      const enough = agent.frames.length + frames;
      await agent.until(() => agent.frames.length >= enough || isIdle() || undefined, "the next moment");
      if (takesBack) {
        const { steering, followUp } = await agent.call("clear_queue");
        givenBack.push(...[steering, followUp].flat());
      }
    }
    await agent.until(() => read().length + givenBack.length >= MESSAGES || undefined, "every message");
    expect([...read(), ...givenBack].sort()).toEqual([...sent].sort());
    expect(givenBack.length).toBeGreaterThan(0);
    for (const kind of ["steer", "followUp"]) {
      const ofKind = (message: string) => message.startsWith(kind);
      const arrived = read().filter(ofKind);
      expect(arrived).toEqual(sent.filter((message) => ofKind(message) && !givenBack.includes(message)));
    }
  });
});
