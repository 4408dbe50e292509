import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let root: string;
let model: ScriptedModel;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tiller-skills-"));
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  mkdirSync(join(root, "repo/packages/app"), { recursive: true });
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await model.stop();
  rmSync(root, { recursive: true });
});

function putSkill(folder: string, header: string, body = "Body"): string {
  const path = join(root, folder, "SKILL.md");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `---\n${header}\n---\n\n${body}\n`);
  return path;
}

function start(...args: string[]): AgentUnderTest {
  agent = new AgentUnderTest({
    modelUrl: model.url,
    cwd: join(root, "repo/packages/app"),
    agentDir: join(root, "agent"),
    env: { HOME: join(root, "home") },
    args: ["--no-session", ...args],
  });
  return agent;
}

/** The text of the newest message of request `index`. */
function asked(index: number): unknown {
  const { messages } = model.requests[index]?.body ?? {};
  const last = asRecord(Array.isArray(messages) ? messages.at(-1) : undefined);
  return asRecord(Array.isArray(last.content) ? last.content[0] : undefined).text;
}

describe("a skill", () => {
  it("replaces the prompt that calls it, with the arguments after it", async () => {
    const path = putSkill("agent/skills/x", "description: Does x", "Do x with `$1`.");
    model.enqueue(reply("1"), reply("2"));
    const running = start();
    await running.run("/skill:x  some   arg ");
    await running.run("/skill:x");
    const block = [
      `<skill name="x" location="${path}">`,
      `References are relative to ${dirname(path)}.`,
      "",
      "Do x with `$1`.",
      "</skill>",
    ].join("\n");
    expect(asked(0)).toBe(`${block}\n\nsome   arg`);
    expect(asked(1)).toBe(block);
  });

  it("with an unknown name is sent as plain text", async () => {
    model.enqueue(reply("ok"));
    const running = start();
    await running.run("/skill:nobody here");
    expect(asked(0)).toBe("/skill:nobody here");
    expect(running.types()).not.toContain("extension_error");
  });

  it("that cannot be read is reported, and the text stays as it is", async () => {
    const path = putSkill("agent/skills/x", "description: Does x");
    const running = start();
    await running.call("list_skills");
    rmSync(path);
    mkdirSync(path);
    model.enqueue(reply("ok"));
    await running.run("/skill:x now");
    expect(asked(0)).toBe("/skill:x now");
    expect(running.frames).toContainEqual({
      type: "extension_error",
      extensionPath: path,
      event: "skill_expansion",
      error: "The skill can't be read: it isn't a file",
    });
  });

  it("is named in the system prompt from the next run on, unless the model may not use it", async () => {
    const path = putSkill("agent/skills/x", 'description: "Does <x> & more"');
    putSkill("agent/skills/quiet", "description: Quiet\ndisable-model-invocation: true");
    model.enqueue(reply("1"), reply("2"));
    const running = start();
    const line = `<skill name="x" path="${path}">Does &lt;x&gt; &amp; more</skill>`;
    expect((await running.call("get_state")).systemPrompt).toContain(line);
    await running.run("one");
    putSkill("repo/.agents/skills/fresh", "description: Fresh");
    await running.run("two");
    const prompts = model.requests.map(({ body }) => JSON.stringify(body.system));
    expect(prompts.map((prompt) => prompt.includes('name=\\"fresh\\"'))).toEqual([false, true]);
    expect(prompts.some((prompt) => prompt.includes("quiet"))).toBe(false);
  });
});

describe("list_skills", () => {
  it("lists the skills of every place up to the root of the repository", async () => {
    putSkill("agent/skills/one", "description: 1");
    putSkill("home/.agents/skills/two", "description: 2");
    putSkill("repo/packages/app/.tiller/skills/three", "description: 3");
    putSkill("repo/packages/app/.pi/skills/four", "description: 4");
    putSkill("repo/packages/.agents/skills/five", "description: 5");
    putSkill("repo/.claude/skills/six", "description: 6");
    putSkill(".agents/skills/outside", "description: 0");
    expect(await start().call("list_skills")).toEqual({
      skills: [
        { name: "three", description: "3" },
        { name: "four", description: "4" },
        { name: "five", description: "5" },
        { name: "six", description: "6" },
        { name: "one", description: "1" },
        { name: "two", description: "2" },
      ],
    });
  });

  it("lists only the names that --skills allows", async () => {
    for (const name of ["go-test", "go-lint", "rust"]) putSkill(`agent/skills/${name}`, `description: ${name}`);
    const { skills } = await start("--skills", "go-*,none").call("list_skills");
    expect(skills).toMatchObject([{ name: "go-lint" }, { name: "go-test" }]);
  });

  it("leaves out broken and duplicate skills, with the reason on stderr", async () => {
    const nameless = putSkill("agent/skills/Big Name", "description: x");
    const mute = putSkill("agent/skills/mute", "name: mute");
    const cut = putSkill("agent/skills/cut", `description: ${"d".repeat(1100)}`);
    const second = putSkill("agent/skills/z", "name: cut\ndescription: second");
    const running = start();
    const { skills } = await running.call("list_skills");
    expect(skills).toEqual([{ name: "cut", description: "d".repeat(1024) }]);
    await running.end();
    expect(running.stderr).toContain(`${nameless}: the skill is ignored: its name "Big Name"`);
    expect(running.stderr).toContain(`${mute}: the skill is ignored: its front matter has no "description"`);
    expect(running.stderr).toContain(`${cut}: its description is cut after 1024 characters`);
    expect(running.stderr).toContain(`${second} is ignored: ${cut} is a skill of the same name, "cut".`);
  });
});
