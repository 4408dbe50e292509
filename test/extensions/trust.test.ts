import { mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A project with these files, in the folder `project`, and an AGENT_DIR. */
function project(files: Record<string, string>): { agentDir: string; cwd: string } {
  const { agentDir, remove } = agentDirWith({});
  cleanups.push(remove);
  const folder = agentDirWith({});
  cleanups.push(folder.remove);
  const cwd = join(realpathSync(folder.agentDir), "project");
  mkdirSync(cwd);
  writeFiles(cwd, files);
  return { agentDir, cwd };
}

function start(places: { agentDir: string; cwd: string }, args: readonly string[] = []): AgentUnderTest {
  const agent = new AgentUnderTest({ args: ["--no-session", ...args], ...places });
  cleanups.push(() => agent.dispose());
  return agent;
}

const registers = (name: string) => `export default (pi) => pi.registerCommand("${name}", { handler: () => {} });`;
const SAYS_TRUST = `export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.notify(String(ctx.isProjectTrusted())));`;

/** Names of everything that has a file and can be called, in order. */
async function listed(agent: AgentUnderTest): Promise<unknown[]> {
  const { commands } = await agent.call("get_commands");
  if (!Array.isArray(commands)) return [];
  return commands.map(asRecord).flatMap(({ name, path }) => (path === undefined ? [] : [name]));
}

describe("a project", () => {
  it("is trusted when AGENT_DIR/trust.json lists it or the nearest known folder above it", async () => {
    const places = project({ ".tiller/extensions/p.ts": registers("p"), ".pi/extensions/q.ts": registers("q") });
    const { cwd } = places;
    const above = dirname(cwd);
    for (const [stored, expected] of [
      [{ [cwd]: true }, ["p", "q"]],
      [{ [above]: true, [cwd]: null }, ["p", "q"]],
      [{ "/": false, [above]: true }, ["p", "q"]],
      [{ [above]: true, [cwd]: false }, []],
      [{ [`${cwd}-2`]: true }, []],
      [{}, []],
    ] satisfies [object, string[]][]) {
      writeFiles(places.agentDir, { "trust.json": JSON.stringify(stored) });
      const agent = start(places);
      expect(await listed(agent)).toEqual(expected);
      await agent.end();
      expect(agent.stderr.includes("haven't trusted the project (--approve)")).toBe(expected.length === 0);
    }
  });

  it("is identified by its real path", async () => {
    const places = project({ ".tiller/extensions/p.ts": registers("p") });
    const link = join(dirname(places.cwd), "link");
    symlinkSync(places.cwd, link);
    writeFiles(places.agentDir, { "trust.json": JSON.stringify({ [places.cwd]: true }) });
    expect(await listed(start({ agentDir: places.agentDir, cwd: link }))).toEqual(["p"]);
  });

  it("is judged by the command line first, for this start", async () => {
    const places = project({ ".tiller/extensions/p.ts": registers("p"), "ask.ts": SAYS_TRUST });
    for (const [flag, stored, told] of [
      ["--approve", false, "true"],
      ["--no-approve", true, "false"],
    ] satisfies [string, boolean, string][]) {
      writeFiles(places.agentDir, { "trust.json": JSON.stringify({ [places.cwd]: stored }) });
      const agent = start(places, [flag, "-e", "ask.ts"]);
      expect((await agent.waitFor(({ method }) => method === "notify")).message).toBe(told);
      expect(await listed(agent)).toEqual(told === "true" ? ["p"] : []);
    }
  });

  it("is not trusted when trust.json is invalid, which is reported", async () => {
    const places = project({ ".tiller/extensions/p.ts": registers("p") });
    for (const broken of ["{", "[]", '{ "/": "yes" }']) {
      writeFiles(places.agentDir, { "trust.json": broken });
      const agent = start(places);
      expect(await listed(agent)).toEqual([]);
      await agent.end();
      expect(agent.stderr).toContain("trust.json is skipped");
    }
  });
});

describe("extensions of the user that decide about trust", () => {
  const decides = (body: string) => `export default (pi) => {
    pi.on("project_trust", async (event, ctx) => {
      console.error(\`asked \${event.cwd === ctx.cwd} \${ctx.hasUI} \${await ctx.ui.confirm("Sure?", "Really?")}\`);
      ctx.ui.notify("not shown");
      ${body}
    });
    pi.on("session_start", (_e, ctx) => ctx.ui.notify(\`trusted \${ctx.isProjectTrusted()}\`));
    pi.registerCommand("own", { handler: () => {} });
  };`;
  const brought = {
    ".pi/extensions/p.ts": registers("p"),
    ".tiller/settings.json": `{ "extensions": ["q.ts"] }`,
    ".tiller/q.ts": registers("q"),
  };
  const kept = ({ agentDir }: { agentDir: string }): unknown =>
    JSON.parse(readFileSync(join(agentDir, "trust.json"), "utf8"));

  it("are asked before anything of the project runs, and their answer overrides the stored one", async () => {
    for (const [answer, stored] of [
      ["yes", false],
      ["no", true],
    ] satisfies [string, boolean][]) {
      const places = project(brought);
      const trust = { [places.cwd]: stored };
      writeFiles(places.agentDir, {
        "extensions/t.ts": decides(`return { trusted: "${answer}" };`),
        "trust.json": JSON.stringify(trust),
      });
      const agent = start(places);
      expect(await listed(agent)).toEqual(answer === "yes" ? ["own", "p", "q"] : ["own"]);
      await agent.end();
      expect(agent.frames.filter(({ method }) => method === "notify")).toMatchObject([
        { message: `trusted ${answer === "yes"}` },
      ]);
      expect(agent.stderr.split("asked true false false")).toHaveLength(2);
      expect(agent.stderr.includes("haven't trusted the project (--approve)")).toBe(answer === "no");
      expect(kept(places)).toEqual(trust);
    }
  });

  it("can store their decision, and stored ones are kept", async () => {
    const places = project(brought);
    const decision = decides(`return { trusted: "yes", remember: true };`);
    writeFiles(places.agentDir, { "trust.json": `{ "/elsewhere": false }`, "decision.ts": decision });
    expect(await listed(start(places, ["-e", join(places.agentDir, "decision.ts")]))).toEqual(["p", "q", "own"]);
    expect(kept(places)).toEqual({ "/elsewhere": false, [places.cwd]: true });
    expect(await listed(start(places))).toEqual(["p", "q"]);
  });

  it("store it in the file that trust.json links to", async () => {
    const places = project(brought);
    const shared = join(dirname(places.cwd), "pi-trust.json");
    writeFiles(dirname(places.cwd), { "pi-trust.json": `{ "/elsewhere": false }` });
    symlinkSync(shared, join(places.agentDir, "trust.json"));
    writeFiles(places.agentDir, { "extensions/t.ts": decides(`return { trusted: "no", remember: true };`) });
    expect(await listed(start(places))).toEqual(["own"]);
    expect(JSON.parse(readFileSync(shared, "utf8"))).toEqual({ "/elsewhere": false, [places.cwd]: false });
    expect(kept(places)).toEqual({ "/elsewhere": false, [places.cwd]: false });
  });

  it("leave the decision to the stored one when they do not decide, and failures are reported", async () => {
    const places = project(brought);
    writeFiles(places.agentDir, {
      "extensions/a.ts": decides(`throw new Error("no idea");`),
      "extensions/b.ts": decides(`return { trusted: "undecided", remember: true };`),
      "trust.json": JSON.stringify({ [places.cwd]: true }),
    });
    const agent = start(places);
    expect(await listed(agent)).toEqual(["own:1", "own:2", "p", "q"]);
    expect(await agent.waitFor(({ type }) => type === "extension_error")).toMatchObject({
      event: "project_trust",
      error: "no idea",
    });
  });

  it("give way to the stored decision after ten seconds, which is reported, and no other handler runs", async () => {
    const places = project(brought);
    writeFiles(places.agentDir, {
      "extensions/a.ts": `export default (pi) => pi.on("project_trust", () => new Promise(() => {}));`,
      "extensions/b.ts": decides(`return { trusted: "yes" };`),
    });
    const agent = start(places);
    expect(await agent.waitFor(({ type }) => type === "extension_error")).toMatchObject({
      extensionPath: expect.stringMatching(/a\.ts$/),
      event: "project_trust",
      error: "the project was not judged within 10 seconds",
    });
    expect(await listed(agent)).toEqual(["own"]);
    expect(agent.stderr).not.toContain("asked");
  });

  it("do not end the agent by errors of timers and promises", async () => {
    const places = project(brought);
    writeFiles(places.agentDir, {
      "extensions/t.ts": decides(`
        setTimeout(() => { throw new Error("late"); }, 1);
        void Promise.reject(new Error("forgotten"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { trusted: "yes" };`),
    });
    const agent = start(places);
    expect(await listed(agent)).toEqual(["own", "p", "q"]);
    expect(agent.frames.filter(({ type }) => type === "extension_error")).toMatchObject([
      { event: "uncaught", error: "forgotten" },
      { event: "uncaught", error: "late" },
    ]);
  });

  it("are not asked when the command line decides, or when nothing in the project needs trust", async () => {
    const asks = { "extensions/t.ts": decides(`return { trusted: "yes" };`) };
    for (const [files, args] of [
      [brought, ["--no-approve"]],
      [{ "AGENTS.md": "Be kind." }, []],
    ] satisfies [Record<string, string>, string[]][]) {
      const places = project(files);
      writeFiles(places.agentDir, asks);
      const agent = start(places, args);
      expect(await listed(agent)).toEqual(["own"]);
      expect(agent.stderr).not.toContain("asked");
    }
  });
});

describe(".pi/settings.json of a project", () => {
  const files = {
    ".pi/settings.json": `{ "extensions": ["own/e.ts"], "prompts": ["own/prompts"], "skills": ["own/skills"], "steeringMode": 7, "packages": ["npm:x"] }`,
    ".pi/own/e.ts": registers("e"),
    ".pi/own/prompts/hello.md": "from pi",
    ".pi/own/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy.",
    ".tiller/settings.json": `{ "prompts": ["mine"] }`,
    ".tiller/mine/hello.md": "from tiller",
  };

  it("names templates, skills and, in a trusted project, extensions, and .tiller/settings.json overrides it", async () => {
    const places = project(files);
    const trusted = start(places, ["--approve"]);
    expect(await listed(trusted)).toEqual(["e", "hello", "skill:tidy"]);
    const { commands } = await trusted.call("get_commands");
    expect(JSON.stringify(commands)).toContain(join(places.cwd, ".tiller/mine/hello.md"));
    expect((await trusted.call("get_state")).steeringMode).toBe("one-at-a-time");
    await trusted.end();
    expect(trusted.stderr).toContain('Setting "packages" of');

    const untrusted = start(places);
    expect(await listed(untrusted)).toEqual(["hello", "skill:tidy"]);
    await untrusted.end();
    expect(untrusted.stderr).toContain(
      `Setting "extensions" of ${join(places.cwd, ".pi")} is ignored because you haven't trusted the project (--approve).`,
    );
  });
});

describe("resource lists in settings", () => {
  it("exclude files with ! and -, include one again with +, and select with *", async () => {
    const places = project({});
    writeFiles(places.agentDir, {
      "settings.json": JSON.stringify({
        extensions: ["more/*.ts", "!more/b*", "+more/bee.ts", "-extensions/off.ts"],
        prompts: ["!secret*", "team/*-x.md"],
        skills: ["!**/old/*", "-skills/gone"],
      }),
      "extensions/on.ts": registers("on"),
      "extensions/off.ts": registers("off"),
      "more/a.ts": registers("a"),
      "more/bad.ts": registers("bad"),
      "more/bee.ts": registers("bee"),
      "more/c.js": registers("c"),
      "prompts/plain.md": "p",
      "prompts/secret-1.md": "s",
      "team/one-x.md": "1",
      "team/two.md": "2",
      "skills/old/dust/SKILL.md": "---\nname: dust\ndescription: d\n---\n",
      "skills/gone/SKILL.md": "---\nname: gone\ndescription: d\n---\n",
      "skills/kept/SKILL.md": "---\nname: kept\ndescription: d\n---\n",
    });
    expect(await listed(start(places))).toEqual(["on", "a", "bee", "one-x", "plain", "skill:kept"]);
  });
});
