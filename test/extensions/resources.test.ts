import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

async function start(extensions: Record<string, string>): Promise<AgentUnderTest> {
  const { agentDir, remove } = agentDirWith(extensions);
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  await agent.waitFor(({ type }) => type === "ready");
  await agent.call("prompt", { message: "/settled" }); // waits until extensions have started
  return agent;
}

const SETTLED = `export default (pi) => pi.registerCommand("settled", { handler: () => {} });`;
const SKILL = "---\nname: tidy\ndescription: Tidies up\n---\nPut things away.";

async function commands(agent: AgentUnderTest): Promise<Record<string, unknown>[]> {
  const { commands } = await agent.call("get_commands");
  return Array.isArray(commands) ? commands.map(asRecord).filter(({ path }) => path !== undefined) : [];
}

async function untilListed(agent: AgentUnderTest, name: string): Promise<Record<string, unknown>> {
  for (let round = 0; round < 200; round++) {
    const found = (await commands(agent)).find((command) => command.name === name);
    if (found !== undefined) return found;
  }
  throw new Error(`${name} is not listed`);
}

describe("resources_discover", () => {
  it("adds files and folders of skills and templates, which are listed and work", async () => {
    const agent = await start({
      "settled.ts": SETTLED,
      "x/index.ts": `import { dirname, join } from "node:path";
        import { fileURLToPath } from "node:url";
        const here = dirname(fileURLToPath(import.meta.url));
        export default (pi) => pi.on("resources_discover", (event, ctx) => {
          ctx.ui.notify([event.cwd === ctx.cwd, event.reason].join(" "));
          return { skillPaths: [join(here, "SKILL.md")], promptPaths: [join(here, "prompts")], themePaths: [join(here, "t.json")] };
        });`,
      "x/SKILL.md": SKILL,
      "x/prompts/greet.md": "Greet $1",
    });
    const template = await untilListed(agent, "greet");
    const folder = join(agent.agentDir, "extensions/x");
    expect(template).toMatchObject({
      source: "prompt",
      location: "path",
      path: join(folder, "prompts/greet.md"),
      sourceInfo: { source: "extension:x", scope: "temporary", origin: "top-level", baseDir: join(folder, "prompts") },
    });
    expect(await agent.call("list_skills")).toEqual({ skills: [{ name: "tidy", description: "Tidies up" }] });
    model.enqueue(reply("ok"), reply("ok"));
    await agent.run("/greet Ada");
    await agent.run("/skill:tidy");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("Greet Ada");
    expect(JSON.stringify(model.requests[0]?.body.system)).toContain("Tidies up");
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Put things away.");
    expect(agent.frames.find(({ method }) => method === "notify")?.message).toBe("true startup");
  });

  it("runs again at a reload, and resources that it no longer names are gone", async () => {
    const agent = await start({
      "settled.ts": SETTLED,
      "x.ts": `export default (pi) => {
        pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() });
        pi.on("resources_discover", (event, ctx) => {
          ctx.ui.notify(event.reason);
          return { promptPaths: [ctx.cwd + "/" + event.reason] };
        });
      };`,
    });
    writeFiles(agent.cwd, { "startup/one.md": "1", "reload/two.md": "2" });
    await untilListed(agent, "one");
    await agent.call("prompt", { message: "/again" });
    expect((await commands(agent)).map(({ name }) => name)).toEqual(["settled", "again", "two"]);
  });

  it("ignores invalid values and missing paths without losing others", async () => {
    const agent = await start({
      "settled.ts": SETTLED,
      "a.ts": `export default (pi) => pi.on("resources_discover", () => ({ skillPaths: "x", promptPaths: [1] }));`,
      "b.ts": `export default (pi) => pi.on("resources_discover", () => { throw new Error("lost"); });`,
      "c.ts": `export default (pi) => pi.on("resources_discover", (_e, ctx) => ({ promptPaths: ["/nowhere/at/all", ctx.cwd] }));`,
    });
    writeFiles(agent.cwd, { "here.md": "Here" });
    await untilListed(agent, "here");
    expect(agent.frames.filter(({ type }) => type === "extension_error")).toMatchObject([
      { event: "resources_discover", error: "lost" },
    ]);
    await agent.end();
    expect(agent.stderr).toContain("/nowhere/at/all does not exist.");
  });
});

describe("templates and skills", () => {
  it("created on disk while the agent runs are listed and work without a reload", async () => {
    const agent = await start({ "settled.ts": SETTLED });
    writeFiles(agent.agentDir, { "prompts/late.md": "Late $1", "skills/tidy/SKILL.md": SKILL });
    expect((await commands(agent)).map(({ name }) => name)).toEqual(["settled", "late", "skill:tidy"]);
    model.enqueue(reply("ok"), reply("ok"));
    await agent.run("/late bird");
    writeFiles(agent.agentDir, { "prompts/late.md": "Later $1" });
    await agent.run("/late bird");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("Late bird");
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Later bird");
  });
});

describe("pi.getCommands()", () => {
  it("gives a command the same list as get_commands gives a host", async () => {
    const agent = await start({
      "settled.ts": SETTLED,
      "x.ts": `export default (pi) => pi.registerCommand("list", {
        description: "Lists",
        getArgumentCompletions: (prefix) => [{ value: prefix, label: prefix }],
        handler: (_args, ctx) => ctx.ui.notify(JSON.stringify(pi.getCommands())),
      });`,
    });
    writeFiles(agent.agentDir, { "prompts/p.md": "---\nargument-hint: <x>\n---\nP", "skills/tidy/SKILL.md": SKILL });
    await agent.call("prompt", { message: "/list" });
    const told = agent.frames.find(({ method }) => method === "notify");
    const { commands } = await agent.call("get_commands");
    expect(JSON.parse(String(told?.message))).toEqual(commands);
    expect(JSON.stringify(commands)).toContain('"argumentHint":"<x>"');
  });
});
