import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let root: string;
let model: ScriptedModel;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tiller-templates-"));
  mkdirSync(join(root, "project"));
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await model.stop();
  rmSync(root, { recursive: true });
});

function put(path: string, content: string): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

function start(...args: string[]): AgentUnderTest {
  agent = new AgentUnderTest({
    modelUrl: model.url,
    cwd: join(root, "project"),
    agentDir: join(root, "agent"),
    env: { HOME: join(root, "home") },
    args: ["--no-session", ...args],
  });
  return agent;
}

/** The commands that have a file: those that the agent brings itself are left out. */
async function listed(running: AgentUnderTest): Promise<unknown[]> {
  const { commands } = await running.call("get_commands");
  return Array.isArray(commands) ? commands.filter((command) => asRecord(command).path !== undefined) : [];
}

/** Returns the last message of request `index`. */
function asked(index: number): string {
  const { messages } = model.requests[index]?.body ?? {};
  return JSON.stringify(Array.isArray(messages) ? messages.at(-1) : undefined);
}

describe("a prompt template", () => {
  it("replaces the prompt, with its arguments", async () => {
    put("project/.tiller/prompts/greet.md", "---\ndescription: Greets\n---\nHello $1 and $2, not $3!\n");
    model.enqueue(reply("hi"));
    await start().run('/greet a "b c"');
    expect(asked(0)).toContain('"Hello a and b c, not !"');
  });

  it("comes with the agent for common work, and a file of the same name replaces it", async () => {
    model.enqueue(reply("ok"), reply("ok"), reply("ok"));
    const running = start();
    await running.run("/explain src/port.ts:2-3");
    expect(asked(0)).toMatch(/Explain the following code.*src\/port\.ts:2-3/);
    await running.run("/review");
    expect(asked(1)).toContain("Review the uncommitted changes of the working tree.");
    put("project/.tiller/prompts/explain.md", "What is $1?");
    await running.run("/explain src/port.ts");
    expect(asked(2)).toContain('"What is src/port.ts?"');
    const { commands } = await running.call("get_commands");
    const named = (name: string) =>
      (Array.isArray(commands) ? commands : []).map(asRecord).filter((command) => command.name === name);
    expect(named("document")).toEqual([
      {
        name: "document",
        description: "Write documentation comments for code",
        argumentHint: "<file:lines> [what matters]",
        source: "prompt",
        sourceInfo: { path: "<bundled:document>", source: "bundled", scope: "temporary", origin: "top-level" },
      },
    ]);
    expect(named("explain")).toEqual([expect.objectContaining({ description: "What is $1?" })]);
    model.enqueue(reply("ok"));
    await running.run("/init the tests");
    expect(asked(3)).toMatch(/Write AGENTS\.md in the root of this project.*the tests/);
  });

  it("of the agent is left out without prompt templates", async () => {
    model.enqueue(reply("ok"));
    await start("--no-prompt-templates").run("/explain src/port.ts");
    expect(asked(0)).toContain('"/explain src/port.ts"');
  });

  it("takes no attachment of a host as an argument, and keeps attachments after the text", async () => {
    put("agent/prompts/fix.md", "Fix $@, please.");
    model.enqueue(reply("ok"));
    const attached = '\n\n<attached key="0123456789abcdef">\na  b\n</attached 0123456789abcdef>';
    await start().run(`/fix this${attached}`);
    expect(asked(0)).toContain(JSON.stringify(`Fix this, please.${attached}`));
  });

  it("is found, updated and removed without a restart", async () => {
    const running = start();
    model.enqueue(reply("1"), reply("2"), reply("3"));
    expect(await listed(running)).toEqual([]);
    const path = put("project/.pi/prompts/late.md", "First text");
    expect(await listed(running)).toMatchObject([{ name: "late", description: "First text" }]);
    await running.run("/late");
    put("project/.pi/prompts/late.md", "Another text");
    expect(await listed(running)).toMatchObject([{ description: "Another text" }]);
    await running.run("/late");
    rmSync(path);
    await running.run("/late");
    expect(
      [asked(0), asked(1), asked(2)].map((message) => /First text|Another text|\/late/.exec(message)?.[0]),
    ).toEqual(["First text", "Another text", "/late"]);
  });

  it("with an unknown name is sent as plain text", async () => {
    model.enqueue(reply("ok"));
    await start().run("/usr/bin is full");
    expect(asked(0)).toContain('"/usr/bin is full"');
  });

  it("is expanded before it is queued, and no later message overtakes it", async () => {
    put("agent/prompts/tpl.md", "Long story about $@");
    const running = start();
    const held = gate();
    model.enqueue(reply([text("a"), held]));
    await running.call("prompt", { message: "go" });
    running.send({ type: "steer", message: "/tpl one" });
    running.send({ type: "steer", message: "two" });
    running.send({ type: "follow_up", message: "/tpl three" });
    running.send({ type: "prompt", message: "/tpl four", streamingBehavior: "followUp" });
    expect(await running.call("clear_queue")).toEqual({
      steering: ["Long story about one", "two"],
      followUp: ["Long story about three", "Long story about four"],
    });
    held.release();
    await running.settled();
  });

  it("works with abort_and_prompt, and a following abort ends it", async () => {
    put("agent/prompts/tpl.md", "From a file");
    const running = start();
    model.enqueue(reply("ok"));
    await running.call("abort_and_prompt", { message: "/tpl" });
    await running.settled();
    expect(asked(0)).toContain("From a file");
    const from = running.frames.length;
    running.write('{"type":"prompt","message":"/tpl"}\n{"type":"abort","id":"end"}\n');
    await running.waitFor(({ id }) => id === "end", from);
    expect((await running.settled(from)).aborted).toBe(true);
    expect(await running.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("ends in order when the host disconnects before its run begins", async () => {
    put("agent/prompts/tpl.md", "From a file");
    const running = start();
    running.write('{"type":"prompt","message":"/tpl"}\n');
    expect(await running.end()).toMatchObject({ code: 0 });
    expect(running.frames.at(-1)).toMatchObject({ type: "agent_settled", aborted: true });
  });

  it("that is empty creates no message", async () => {
    put("agent/prompts/nothing.md", "$1\n");
    expect(await start().request("prompt", { message: "/nothing" })).toMatchObject({
      success: false,
      error: 'prompt: "message" must not be empty',
    });
  });
});

describe("get_commands", () => {
  it("lists commands of extensions, templates and skills with their place, the nearest of a name first", async () => {
    const extension = put(
      "agent/extensions/hello.js",
      'export default (api) => api.registerCommand("hello", { description: "Says hello", handler() {} });',
    );
    const own = put("project/.tiller/prompts/b.md", "---\ndescription: Own\nargument-hint: [file] [line]\n---\nText");
    put("project/.pi/prompts/b.md", "Hidden");
    const users = put("agent/prompts/a.md", `${"x".repeat(70)}\nmore`);
    const given = put("elsewhere/c.md", "Given");
    const skill = put("project/.agents/skills/audit/SKILL.md", "---\ndescription: Audits\n---\nBody");
    const running = start("--prompt-template", given);
    const commands = await listed(running);
    expect(commands).toEqual([
      {
        name: "hello",
        description: "Says hello",
        source: "extension",
        path: extension,
        sourceInfo: {
          path: extension,
          source: "auto",
          scope: "user",
          origin: "top-level",
          baseDir: dirname(extension),
        },
      },
      {
        name: "c",
        description: "Given",
        source: "prompt",
        location: "path",
        path: given,
        sourceInfo: { path: given, source: "cli", scope: "temporary", origin: "top-level", baseDir: dirname(given) },
      },
      {
        name: "b",
        description: "Own",
        argumentHint: "[file] [line]",
        source: "prompt",
        location: "project",
        path: own,
        sourceInfo: { path: own, source: "auto", scope: "project", origin: "top-level", baseDir: dirname(own) },
      },
      {
        name: "a",
        description: "x".repeat(60),
        source: "prompt",
        location: "user",
        path: users,
        sourceInfo: { path: users, source: "auto", scope: "user", origin: "top-level", baseDir: dirname(users) },
      },
      {
        name: "skill:audit",
        description: "Audits",
        source: "skill",
        location: "project",
        path: skill,
        sourceInfo: {
          path: skill,
          source: "auto",
          scope: "project",
          origin: "top-level",
          baseDir: join(root, "project/.agents/skills"),
        },
      },
    ]);
    await running.end();
    expect(running.stderr).toContain(`${join(root, "project/.pi/prompts/b.md")} is ignored`);
    expect(running.stderr).toContain(`${own}: its front matter isn't valid YAML`);
  });

  it("lists what settings name, relative to the folder of the settings file", async () => {
    put("agent/settings.json", '{ "prompts": ["more"], "skills": ["~/kit"] }');
    put("agent/more/one.md", "One");
    put("project/.tiller/settings.json", '{ "prompts": ["../two.md", "gone", "."] }');
    put("project/two.md", "Two");
    put("home/kit/deep/er/SKILL.md", "---\nname: tool\ndescription: A tool\n---\n");
    const running = start();
    const commands = await listed(running);
    expect(commands).toMatchObject([
      { name: "two", location: "project", sourceInfo: { source: "local" } },
      { name: "one", location: "user", sourceInfo: { source: "local" } },
      { name: "skill:tool", location: "user" },
    ]);
    await running.end();
    expect(running.stderr).toContain(`${join(root, "project/.tiller/gone")} does not exist.`);
    expect(running.stderr).toContain(`No prompt template is found in ${join(root, "project/.tiller")}.`);
  });

  it("lists only what was named with --no-prompt-templates and --no-skills", async () => {
    put("agent/prompts/a.md", "A");
    put("agent/skills/b/SKILL.md", "---\ndescription: B\n---\n");
    const given = put("elsewhere/c.md", "C");
    const skill = put("elsewhere/d/SKILL.md", "---\ndescription: D\n---\n");
    const commands = await listed(start("-np", "-ns", "--prompt-template", given, "--skill", dirname(skill)));
    expect(commands).toMatchObject([{ name: "c" }, { name: "skill:d", location: "path" }]);
  });

  it("survives circular links, links out of the project, folders named like files and endless files", async () => {
    put("agent/prompts/huge.md", "x".repeat(300_000));
    put("agent/prompts/two words.md", "x");
    mkdirSync(join(root, "agent/prompts/folder.md"));
    symlinkSync("loop.md", join(root, "agent/prompts/loop.md"));
    const skill = put("agent/skills/a/SKILL.md", "---\ndescription: A\n---\n");
    symlinkSync("..", join(root, "agent/skills/a/up"));
    mkdirSync(join(root, "project/.claude"));
    symlinkSync(join(root, "agent/skills"), join(root, "project/.claude/skills"));
    const running = start();
    const commands = await listed(running);
    expect(commands).toMatchObject([{ name: "skill:a", location: "user" }]);
    await running.call("get_commands");
    await running.end();
    expect(running.stderr.match(/huge\.md can't be read: it's larger than 256\.0KB/g)).toHaveLength(1);
    expect(running.stderr).not.toContain(`${skill} is ignored`);
  });
});
