import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const CMD = "C:\\windows\\system32\\cmd.exe";

describe("an agent with cmd.exe", () => {
  let model: ScriptedModel;
  let agent: AgentUnderTest;
  let agentDir: string;

  beforeEach(async () => {
    model = await ScriptedModel.start();
    agentDir = mkdtempSync(join(tmpdir(), "tiller-cmd-"));
    writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ shellPath: CMD }));
    agent = new AgentUnderTest({ modelUrl: model.url, agentDir });
  });
  afterEach(async () => {
    await agent.dispose();
    await model.stop();
    rmSync(agentDir, { recursive: true });
  });

  /** Runs a command, and returns what the model is told. */
  async function run(command: string, more: object = {}): Promise<string> {
    model.enqueue(reply([toolCall("bash", { command, ...more })]), reply("ok"));
    return resultText(await agent.run("go"));
  }

  it("tells the model how to write for it", async () => {
    await run("echo hello");
    const request = JSON.stringify(model.requests[0]?.body);
    expect(request).toContain("Platform: Windows; shell: cmd.exe");
    expect(request).toContain("Runs a cmd.exe command");
  });

  it("runs every line, with quotes, in UTF-8", async () => {
    expect(await run('echo "a  b" Größe\r\necho second & echo third')).toBe('"a  b" Größe\nsecond \nthird');
  });

  it("gives the exit code of a command that fails", async () => {
    expect(await run("echo before & exit /b 7")).toBe("before \n\nCommand exited with code 7");
  });

  it("runs in the folder of the call, also one with blanks and umlauts", async () => {
    mkdirSync(join(agent.cwd, "Größe & mehr"));
    writeFileSync(join(agent.cwd, "Größe & mehr", "x.txt"), "content\r\n");
    expect(await run("type x.txt", { cwd: "Größe & mehr" })).toBe("content");
  });

  it("ends with everything that it started at its time limit", async () => {
    const started = join(agent.cwd, "started.txt");
    const script =
      "require('fs').writeFileSync('started.txt', 'x'); setInterval(() => require('fs').appendFileSync('started.txt', 'x'), 100)";
    writeFileSync(join(agent.cwd, "forever.cjs"), script);
    const text = await run(`"${process.env.TILLER_TEST_AGENT_NODE}" forever.cjs`, { timeout: 5 });
    expect(text).toContain("Command timed out after 5 seconds");
    expect(text).toContain("with start /b.");
    const { length } = readFileSync(started);
    await delay(1500);
    expect(readFileSync(started)).toHaveLength(length);
  });

  it("keeps commands from running a program of the workspace that has the name of one on the PATH", async () => {
    // Wine's own cmd.exe doesn't read the variable.
    expect(await run("echo %NoDefaultCurrentDirectoryInExePath%")).toBe("1");
  });

  it.each([
    ["NUL", '"NUL" is the name of a device'],
    ["a.txt:hidden", '"a.txt:hidden" names a stream of a file'],
    ["folder.\\a.txt", '"folder." ends with a character that is left out there'],
  ])("refuses to write %s", async (path, problem) => {
    model.enqueue(reply([toolCall("write", { path, content: "x" })]), reply("ok"));
    expect(resultText(await agent.run("go"))).toContain(problem);
  });
});

function resultText(frames: readonly Frame[]): string {
  const end = frames.find(({ type }) => type === "tool_execution_end");
  const { content } = asRecord(end?.result);
  return Array.isArray(content) ? String(asRecord(content[0]).text).replaceAll("\r\n", "\n") : "";
}
