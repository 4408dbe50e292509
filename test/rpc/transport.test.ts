import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let agent: AgentUnderTest;

beforeEach(() => {
  agent = new AgentUnderTest();
});

afterEach(() => agent.dispose());

describe("transport", () => {
  it("writes ready first", async () => {
    await agent.call("get_state");
    expect(agent.frames[0]).toMatchObject({ type: "ready", protocolVersion: 1, dialects: ["pi", "xcsh"] });
    expect(agent.frames[0]?.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("ends every line with only an LF", async () => {
    await agent.call("get_state");
    const bytes = Buffer.concat(agent.stdout);
    expect(bytes.at(-1)).toBe(0x0a);
    expect(bytes.includes(0x0d)).toBe(false);
  });

  it("accepts CRLF, raw U+2028 in a line, and a BOM at the start", async () => {
    agent.write('\ufeff{"type":"get_state","id":"a"}\r\n{"type":"set_session_name","name":"x\u2028y","id":"b"}\n');
    expect(await agent.waitFor((frame) => frame.id === "a")).toMatchObject({ success: true });
    expect(await agent.waitFor((frame) => frame.id === "b")).toMatchObject({ success: true });
    expect((await agent.call("get_state")).sessionName).toBe("x\u2028y");
    expect(Buffer.concat(agent.stdout).toString()).toContain("x\\u2028y");
  });

  it("accepts a command split inside a character, and one written byte by byte", async () => {
    const bytes = Buffer.from('{"type":"set_session_name","name":"Zoë 👋","id":"n"}\n');
    for (const byte of bytes) agent.write(Uint8Array.of(byte));
    expect(await agent.waitFor((frame) => frame.id === "n")).toMatchObject({ success: true });
    expect((await agent.call("get_state")).sessionName).toBe("Zoë 👋");
  });

  it("answers ten commands from one write", async () => {
    agent.write(Array.from({ length: 10 }, (_, i) => `{"type":"get_state","id":${i}}\n`).join(""));
    await agent.waitFor((frame) => frame.id === 9);
    const ids = agent.frames.filter(({ type }) => type === "response").map((frame) => frame.id);
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("ignores blank lines", async () => {
    agent.write("\n   \n\t\n");
    await agent.call("get_state");
    expect(agent.frames.filter(({ type }) => type === "response")).toHaveLength(1);
  });

  it("runs a last command without LF, and answers it although stdin is closed", async () => {
    agent.write('{"type":"get_state","id":"last"}');
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.frames.at(-1)).toMatchObject({ id: "last", success: true });
  });

  it("answers a line that is not JSON and continues", async () => {
    agent.write("not json\n");
    const refused = await agent.waitFor(({ type }) => type === "response");
    expect(refused).toMatchObject({ command: "parse", success: false });
    expect(refused.error).toMatch(/^Failed to parse command: /);
    expect(refused).not.toHaveProperty("id");
    await agent.call("get_state");
  });

  it.each(["null", "42", "[]", '"x"'])("answers the line %s and survives", async (line) => {
    agent.write(`${line}\n`);
    expect(await agent.waitFor(({ type }) => type === "response")).toMatchObject({
      command: "parse",
      error: "Failed to parse command: expected a JSON object",
    });
    await agent.call("get_state");
  });

  it("reports a missing type and echoes the id", async () => {
    agent.send({ id: 7 });
    expect(await agent.waitFor(({ type }) => type === "response")).toMatchObject({
      id: 7,
      command: "parse",
      error: "Failed to parse command: missing command type",
    });
  });

  it("answers an unknown command without its id", async () => {
    agent.send({ id: "u", type: "make_tea" });
    const refused = await agent.waitFor(({ type }) => type === "response");
    expect(refused).toMatchObject({
      command: "make_tea",
      success: false,
      error: "Unknown command: make_tea",
      requestId: "u",
    });
    expect(refused).not.toHaveProperty("id");
  });

  it("refuses a line over 64 MiB and continues", async () => {
    const block = Buffer.alloc(1024 * 1024, 0x61);
    for (let i = 0; i < 65; i++) agent.write(block);
    agent.write("\n");
    expect(await agent.waitFor(({ type }) => type === "response")).toMatchObject({
      command: "parse",
      error: "Failed to parse command: line exceeds 67108864 bytes",
    });
    await agent.call("get_state");
  });

  it("survives invalid UTF-8", async () => {
    agent.write(
      Buffer.concat([Buffer.from('{"type":"set_session_name","name":"a'), Buffer.from([0xff]), Buffer.from('b"}\n')]),
    );
    await agent.waitFor(({ type }) => type === "response");
    expect((await agent.call("get_state")).sessionName).toBe("a\ufffdb");
  });

  it("treats an id of another type as missing, and omits it in the response", async () => {
    agent.send({ id: { a: 1 }, type: "get_state" });
    expect(await agent.waitFor(({ type }) => type === "response")).not.toHaveProperty("id");
  });

  it("names a field of a wrong type and changes nothing", async () => {
    expect(await agent.request("set_session_name", { name: 5 })).toMatchObject({
      success: false,
      error: 'set_session_name: "name" must be a string',
    });
    expect(await agent.request("set_steering_mode", { mode: "some" })).toMatchObject({
      success: false,
      error: 'Invalid mode "some". Valid values: all, one-at-a-time',
    });
    expect(await agent.call("get_state")).toMatchObject({ steeringMode: "one-at-a-time" });
  });
});
