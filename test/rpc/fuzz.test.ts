import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const SEED = 20_261_121;
const LINES = 1000;
const LINES_PER_ROUND = 50;

let agent: AgentUnderTest;

beforeAll(() => {
  agent = new AgentUnderTest();
});

afterAll(() => agent.dispose());

/** Commands that do no harm with any fields. */
const COMMANDS = [
  '{"type":"get_state","omit":["systemPrompt","dumpTools"]}',
  '{"type":"prompt","message":"hi","images":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}',
  '{"type":"steer","message":"left"}',
  '{"type":"clear_queue"}',
  '{"type":"set_steering_mode","mode":"all"}',
  '{"type":"set_todos","phases":[{"name":"p","tasks":[{"content":"c","status":"pending"}]}]}',
  '{"type":"set_host_tools","tools":[{"name":"t","description":"d","parameters":{"type":"object"}}]}',
  '{"type":"get_entries","since":"0"}',
  '{"type":"fork","entryId":"0"}',
  '{"type":"set_event_filter","events":null}',
];

/** A command with some of its bytes replaced, removed or repeated. */
const broken = fc
  .record({
    line: fc.constantFrom(...COMMANDS),
    edits: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.constantFrom("replace", "remove", "repeat")), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ line, edits }) => {
    const bytes = [...Buffer.from(line)];
    for (const [position, byte, kind] of edits) {
      const at = position % bytes.length;
      if (kind === "replace") bytes[at] = byte;
      else if (kind === "remove") bytes.splice(at, 1);
      else bytes.splice(at, 0, ...bytes.slice(at, at + 40));
    }
    return Buffer.from(bytes);
  });

/** A command whose fields have values of any kind. */
const odd = fc
  .tuple(fc.constantFrom(...COMMANDS), fc.jsonValue(), fc.jsonValue())
  .map(([line, value, id]) =>
    line
      .replace(/:(?!"[a-z_]+",|"[a-z_]+"\}).*/s, () => `:${JSON.stringify(value)}}`)
      .replace(/^\{/, () => `{"id":${JSON.stringify(id)},`),
  )
  .map((line) => Buffer.from(line));

const line = fc
  .oneof(
    broken,
    odd,
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 1 }).map(Buffer.from),
  )
  // An answer is owed for every line that is neither blank nor an answer itself.
  .map((bytes) =>
    Buffer.concat([Buffer.from("{"), bytes.filter((byte) => byte !== 0x0a)]).subarray(bytes[0] === 0x7b ? 1 : 0),
  );

describe("malformed lines", () => {
  it("are answered one by one, and the process survives", async () => {
    const lines = fc.sample(line, { numRuns: LINES, seed: SEED });
    let expected = 0;
    for (let from = 0; from < lines.length; from += LINES_PER_ROUND) {
      const round = lines.slice(from, from + LINES_PER_ROUND);
      agent.write(Buffer.concat(round.flatMap((bytes) => [bytes, Buffer.from("\n")])));
      await agent.call("get_state", { omit: ["systemPrompt", "dumpTools"] });
      expected += round.length + 1;
    }
    const responses = agent.frames.filter(({ type }) => type === "response");
    expect(responses).toHaveLength(expected);
    const failures = responses.filter(({ success }) => success === false);
    for (const { error } of failures) expect(error).toMatch(/./);
    expect(failures.length).toBeGreaterThan(LINES / 2);
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
  });
});
