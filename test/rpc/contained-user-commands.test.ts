import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeOutsideFolder } from "../support/outside-folder.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let outside: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-user-commands-"));
  for (const name of ["agent", "work"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "work/.env"), "API_TOKEN=planted\n");
  outside = makeOutsideFolder();
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  for (const one of [folder, outside]) rmSync(one, { recursive: true, force: true });
});

function start(settings: object, ...args: string[]): void {
  writeFileSync(join(folder, "agent/settings.json"), JSON.stringify(settings));
  agent = new AgentUnderTest({
    cwd: join(folder, "work"),
    agentDir: join(folder, "agent"),
    modelUrl: model.url,
    args: ["--no-session", ...args],
  });
}

const CONTAINED = { sandbox: { userCommands: true } };

describe("a command of the user's own", () => {
  it("runs outside the sandbox by default", async () => {
    start({});
    expect(await agent.call("bash", { command: `cat .env; touch ${join(outside, "a")}` })).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(join(outside, "a"))).toBe(true);
  });

  it("runs in the sandbox if the settings say so, and its output says what was refused", async () => {
    start(CONTAINED);
    expect(await agent.call("bash", { command: "echo made > a.txt; cat a.txt" })).toMatchObject({
      output: "made\n",
      exitCode: 0,
    });
    const refused = await agent.call("bash", { command: `touch ${join(outside, "a")}` });
    expect(refused.output).toMatch(
      /Read-only file system\n\[The sandbox seems to have refused writing outside the workspace/,
    );
    expect(existsSync(join(outside, "a"))).toBe(false);
    expect((await agent.call("bash", { command: "cat .env" })).output).toContain(
      "reading .env, which may hold secrets",
    );
  });

  it("asks before it reaches a host, and shows the command", async () => {
    start(CONTAINED, "--permission-mode", "confirm");
    const running = agent.call("bash", { command: "curl -sS http://files.example.com/a" });
    const question = await agent.waitFor(({ method }) => method === "select");
    expect(question).toMatchObject({ approval: { subject: "curl -sS http://files.example.com/a" } });
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    expect((await running).output).toContain("Tiller's sandbox refuses connections to files.example.com.");
  });

  it("doesn't run where there is no sandbox", async () => {
    start(CONTAINED, "--add-dir", join(folder, "agent"));
    expect(await agent.request("bash", { command: "touch a.txt" })).toMatchObject({
      success: false,
      error: expect.stringMatching(
        /^Commands can't run in a sandbox here: .* To run yours without it, turn off sandbox\.userCommands\.$/,
      ),
    });
    expect(existsSync(join(folder, "work/a.txt"))).toBe(false);
  });
});
