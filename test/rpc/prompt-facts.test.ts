import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-prompt-facts-"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(extension = ""): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${extension} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, cwd: folder, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

async function say(agent: AgentUnderTest, message: string): Promise<void> {
  model.enqueue(reply("ok"));
  await agent.run(message);
}

const prompts = () => model.requests.map(({ body }) => JSON.stringify(body.system));
const lastMessage = () => JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));

function git(...args: string[]): void {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: folder, stdio: "ignore" });
}

describe("the system prompt of a session", () => {
  it("is the same to the byte when the permission mode changes, and the next message tells of it", async () => {
    const agent = start();
    await say(agent, "one");
    await agent.call("set_permission_mode", { mode: "readonly" });
    await say(agent, "two");
    expect(lastMessage()).toContain("The user wants you to change nothing");
    await say(agent, "three");
    await agent.call("set_permission_mode", { mode: "auto" });
    await say(agent, "four");
    expect(lastMessage()).toContain("without asking first");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages).match(/system-reminder>/g)).toHaveLength(4);
    expect(new Set(prompts()).size).toBe(1);
  });

  it("is the same to the byte after midnight, and the next message tells of the new day", async () => {
    const agent = start(`pi.registerCommand("tomorrow", { handler: async () => {
      const Today = Date;
      globalThis.Date = class extends Today {
        constructor(...time) { super(...(time.length === 0 ? [Today.now() + 86_400_000] : time)); }
      };
    } });`);
    await say(agent, "one");
    await agent.call("prompt", { message: "/tomorrow" });
    await say(agent, "two");
    expect(lastMessage()).toMatch(/Today is \d{4}-\d\d-\d\d\./);
    expect(new Set(prompts()).size).toBe(1);
  });

  it("names the branch and the number of changed files as they were at the first prompt", async () => {
    git("init", "--initial-branch", "harbor");
    writeFileSync(join(folder, "a.txt"), "a");
    git("add", ".");
    git("commit", "--message", "first");
    writeFileSync(join(folder, "a.txt"), "changed");
    writeFileSync(join(folder, "b.txt"), "new");
    const agent = start();
    await say(agent, "one");
    git("checkout", "-b", "other");
    await say(agent, "two");
    expect(prompts()[0]).toContain("Git when the session began: branch harbor, 2 changed files");
    expect(new Set(prompts()).size).toBe(1);
    expect(await agent.call("get_state")).toMatchObject({ systemPrompt: expect.stringContaining("branch harbor") });
  });

  it("is made without running a program that the repository names", async () => {
    git("init");
    const marker = join(folder, "ran");
    git("config", "core.fsmonitor", `touch ${marker}; false`);
    await say(start(), "one");
    expect(prompts()[0]).toContain("Git when the session began");
    expect(existsSync(marker)).toBe(false);
  });

  it("has no facts of a repository whose own settings define a filter, which a status would run", async () => {
    git("init");
    const marker = join(folder, "ran");
    writeFileSync(join(folder, ".gitattributes"), "*.txt filter=own\n");
    git("config", "filter.own.clean", `touch ${marker}; cat`);
    await say(start(), "one");
    expect(prompts()[0]).not.toContain("Git when the session began");
    expect(existsSync(marker)).toBe(false);
  });
});
