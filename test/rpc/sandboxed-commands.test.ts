import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { makeOutsideFolder } from "../support/outside-folder.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
let outside: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-sandboxed-"));
  outside = makeOutsideFolder();
  writeFileSync(join(cwd, ".env"), "API_TOKEN=from-the-file\n");
  mkdirSync(join(cwd, ".vscode"));
  agent = new AgentUnderTest({
    cwd,
    modelUrl: model.url,
    env: { DEPLOY_TOKEN: "from-the-environment" },
    args: ["--no-session", "--tools", "bash", "--permission-mode", "sandboxed"],
  });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const isLeft = (seconds: string) => {
  try {
    return execFileSync("pgrep", ["-f", `sleep ${seconds}`], { encoding: "utf8" }) !== "";
  } catch {
    return false; // none is found
  }
};

const bash = (command: string) => callUnasked(agent, model, "bash", { command });

describe("a command in the sandbox", () => {
  it("writes in the workspace and in /tmp without a question", async () => {
    const result = await bash("echo one > a.txt && echo two > /tmp/b.txt && cat a.txt /tmp/b.txt && pwd");
    expect(result.text).toBe(`one\ntwo\n${cwd}`);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
    expect(existsSync("/tmp/b.txt")).toBe(false);
  });

  it("sees no secrets, in files or in the environment", async () => {
    const result = await bash('cat .env; echo "<$DEPLOY_TOKEN>"');
    expect(result.text).toContain("Permission denied");
    expect(result.text).toContain("<>");
  });

  it("sees later what it started in the background before", async () => {
    await bash("(while true; do date > /tmp/ticks; sleep 0.1; done) & sleep 0.3");
    const result = await bash("test -s /tmp/ticks && ps ax | grep -c '[s]leep 0.1'");
    expect(Number(result.text)).toBeGreaterThan(0);
  });

  it("can't make what decides what an editor runs", async () => {
    writeFileSync(join(cwd, "go.sh"), "mkdir .idea && echo x > .idea/run.xml\n");
    const result = await bash("sh go.sh");
    expect(result.text).toContain(`Commands in the sandbox may not create ${join(cwd, ".idea")}`);
    expect(existsSync(join(cwd, ".idea"))).toBe(false);
    expect(existsSync(join(cwd, ".idea.from-sandbox"))).toBe(true); // it may have been renamed before the file came
  });
});

describe("what the user makes between two commands", () => {
  it("stays, and is protected from then on", async () => {
    await bash("true");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    mkdirSync(join(cwd, ".idea"));
    writeFileSync(join(cwd, "go.sh"), "echo x > .idea/run.xml || echo refused\n");
    expect((await bash("sh go.sh")).text).toContain("refused");
    expect(existsSync(join(cwd, ".idea"))).toBe(true);
    expect(existsSync(join(cwd, ".idea/run.xml"))).toBe(false);
  });
});

describe("what is made while something runs in the sandbox", () => {
  it("is renamed at once where commands may make nothing, and the user is told", async () => {
    await bash("sleep 98763 & sleep 0.1");
    const from = agent.frames.length;
    mkdirSync(join(cwd, ".idea"));
    const told = await agent.waitFor(({ method }) => method === "notify", from);
    expect(told.message).toContain(`Commands in the sandbox may not create ${join(cwd, ".idea")}.`);
    expect(existsSync(join(cwd, ".idea"))).toBe(false);
  });
});

describe("a command in the sandbox that the user stops", () => {
  it("ends with all that it started", async () => {
    model.enqueue(reply([toolCall("bash", { command: "setsid sleep 98764 & sleep 98765" })]));
    const from = agent.frames.length;
    await agent.call("prompt", { message: "go" });
    await expect.poll(() => isLeft("98765")).toBe(true);
    await agent.call("abort");
    await agent.settled(from);
    expect(isLeft("98765")).toBe(false);
    await agent.call("new_session");
    await expect.poll(() => isLeft("98764")).toBe(false);
  });
});

describe("what a command leaves behind in the sandbox", () => {
  it("ends with the session, also in a session of its own", async () => {
    await bash("setsid sleep 98761 & sleep 0.2");
    expect(isLeft("98761")).toBe(true);
    await agent.call("new_session");
    await expect.poll(() => isLeft("98761")).toBe(false);
  });

  it("ends with an agent that is killed", async () => {
    await bash("setsid sleep 98762 & sleep 0.2");
    expect(isLeft("98762")).toBe(true);
    agent.child.kill("SIGKILL");
    await expect.poll(() => isLeft("98762")).toBe(false);
  });
});

describe("a command that the sandbox refuses something", () => {
  it("runs again outside if the user allows it", async () => {
    const command = `echo out > ${join(outside, "a.txt")}`;
    const question = await questionAbout(agent, model, "bash", { command });
    expect(JSON.stringify(question)).toContain(
      "runs again, outside the sandbox, which refused writing outside the workspace",
    );
    await answer(agent, question, { value: "Allow once" });
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("out\n");
  });

  it("tells the model what was refused if the user doesn't", async () => {
    writeFileSync(join(cwd, "go.sh"), `echo out > '${join(outside, "a.txt")}'\n`);
    const question = await questionAbout(agent, model, "bash", { command: "sh go.sh" });
    const { text } = await answer(agent, question, { value: "Deny" });
    expect(text).toContain("seems to have refused writing outside the workspace");
    expect(existsSync(join(outside, "a.txt"))).toBe(false);
  });

  it("reaches no host that the user doesn't allow", async () => {
    const question = await questionAbout(agent, model, "bash", { command: "curl -sSf http://files.example.com/a" });
    expect(JSON.stringify(question)).toContain("connects to files.example.com from the sandbox");
    const from = agent.frames.length;
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    const left = await agent.waitFor(({ method }) => method === "select", from);
    expect(JSON.stringify(left)).toContain(
      "runs again, outside the sandbox, which refused connecting to files.example.com",
    );
    const { text } = await answer(agent, left, { value: "Deny" });
    expect(text).toContain("refused connecting to files.example.com");
  });
});

describe("a command that can't be undone or can't work in a sandbox", () => {
  it.each(["sudo true", "git push", "rm -rf .vscode", "rm -rf .", "rm -rf *", "git clean -fdx", "git reset --hard"])(
    "is asked about first: %s",
    async (command) => {
      const question = await questionAbout(agent, model, "bash", { command });
      expect(JSON.stringify(question)).not.toContain("sandbox");
      expect((await answer(agent, question, { value: "Deny" })).isError).toBe(true);
    },
  );
});
