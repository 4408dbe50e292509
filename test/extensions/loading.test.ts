import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function start(extensions: Record<string, string>, args: readonly string[] = []): AgentUnderTest {
  const { agentDir, remove } = agentDirWith(extensions);
  cleanups.push(remove);
  const agent = new AgentUnderTest({ args: ["--no-session", "--demo", ...args], agentDir });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** An extension that says that it is there. */
const greets = (name: string) =>
  `export default (pi) => pi.on("session_start", (_event, ctx) => ctx.ui.notify("${name}"));`;

async function greetings(agent: AgentUnderTest): Promise<unknown[]> {
  await agent.call("prompt", { message: "/unknown" });
  return agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
}

describe("extensions", () => {
  it("are found as files, folders and packages, in TypeScript and JavaScript", async () => {
    const agent = start({
      "a.ts": `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
        export default function (pi: ExtensionAPI) { pi.on("session_start", (_e, ctx) => ctx.ui.notify("a")); }`,
      "b/index.js": greets("b"),
      "c/package.json": '{ "pi": { "extensions": ["./src/one.ts", "./src/two.mjs"] } }',
      "c/src/one.ts": greets("c1"),
      "c/src/two.mjs": greets("c2"),
      "notes.md": "not code",
    });
    expect(await greetings(agent)).toEqual(["a", "b", "c1", "c2"]);
  });

  it("are compiled once: unchanged ones load without the compiler", async () => {
    const { agentDir, remove } = agentDirWith({
      "a.ts": `import module from "node:module";
        const loaded: string[] = Object.keys(Reflect.get(module, "_cache"));
        const word = loaded.some((path) => path.endsWith("babel.cjs")) ? "translated" : "remembered";
        export default (pi) => pi.on("session_start", (_event, ctx) => ctx.ui.notify(word));`,
    });
    cleanups.push(remove);
    const told: unknown[] = [];
    for (let starts = 0; starts < 2; starts++) {
      const agent = new AgentUnderTest({ args: ["--no-session", "--demo"], agentDir });
      cleanups.push(() => agent.dispose());
      told.push(...(await greetings(agent)));
    }
    expect(told).toEqual(["translated", "remembered"]);
  });

  it("can import the names of pi's packages, and local files", async () => {
    const agent = start({
      "x/index.ts": `
        import { Type } from "@sinclair/typebox";
        import { StringEnum } from "@earendil-works/pi-ai";
        import { Text, Key, matchesKey } from "@mariozechner/pi-tui";
        import { DynamicBorder } from "@mariozechner/pi-coding-agent";
        import { word } from "./word";
        class Card extends Text { title = "card"; }
        const schema = Type.Object({ a: Type.Optional(Type.String()), b: StringEnum(["x", "y"]) });
        export default function (pi) {
          pi.on("session_start", (_event, ctx) => {
            const card = new Card("t", 1);
            card.setText("u");
            ctx.ui.notify(JSON.stringify([schema, word, card.title, card.render(10), matchesKey("a", Key.up), typeof DynamicBorder]));
          });
        }`,
      "x/word.ts": "export const word: string = 'local';",
    });
    const [told] = await greetings(agent);
    expect(JSON.parse(String(told))).toEqual([
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string", enum: ["x", "y"] } },
        required: ["b"],
      },
      "local",
      "card",
      [],
      false,
      "function",
    ]);
  });

  it("that cannot be loaded are named and do not affect the others", async () => {
    const agent = start({
      "a.ts": "export default (pi) => { throw new Error('no luck'); };",
      "b.ts": "export const x = 1;",
      "c.ts": "this is no program",
      "d.ts": greets("d"),
      "e.ts": "export default (pi) => pi.registerTool({ name: 'half' });",
    });
    expect(await greetings(agent)).toEqual(["d"]);
    const errors = agent.frames.filter(({ type }) => type === "extension_error");
    const paths = ["a.ts", "b.ts", "c.ts", "e.ts"].map((name) => join(agent.agentDir, "extensions", name));
    expect(errors.map(({ extensionPath }) => extensionPath)).toEqual(paths);
    expect(errors.map(({ event }) => event)).toEqual(["load", "load", "load", "load"]);
    expect(errors[0]?.error).toMatch(/^Failed to load extension: no luck \(at .*extensions\/a\.ts:1:\d+\)?\)$/);
    expect(errors[1]?.error).toBe(
      `Failed to load extension: Extension does not export a valid factory function: ${paths[1]}`,
    );
    expect(errors[3]?.error).toContain("Tool cannot be registered:");
    await agent.end();
    expect(agent.stderr).toContain("no luck");
    expect(agent.frames[0]?.type).toBe("ready");
  });

  it("named on the command line must load", async () => {
    const { agentDir, remove } = agentDirWith({});
    cleanups.push(remove);
    const agent = new AgentUnderTest({ args: ["--no-session", "-e", "missing.ts"], agentDir });
    cleanups.push(() => agent.dispose());
    expect((await agent.exited).code).toBe(1);
    expect(agent.frames).toEqual([]);
    expect(agent.stderr).toContain("Error: Failed to load extension: ");
  });

  it.each([
    [
      "throws",
      "export default () => { throw new Error('factory on purpose'); };",
      /: factory on purpose \(at .*own\.ts:1:\d+/,
    ],
    [
      "rejects",
      "export default async () => { await null; throw new TypeError('later'); };",
      /: later \(at .*own\.ts:1:\d+/,
    ],
    ["throws a text", "export default () => { throw 'just text'; };", /: it threw 'just text'$/],
    ["throws nothing", "export default () => { throw undefined; };", /: it threw undefined$/],
    ["rejects with an object", "export default () => Promise.reject({ code: 7 });", /: it threw \{ code: 7 \}$/],
  ])("on the command line whose function %s are reported, and the agent continues", async (_, code, error) => {
    const { agentDir, remove } = agentDirWith({});
    cleanups.push(remove);
    writeFiles(agentDir, { "own.ts": code, "other.ts": greets("other") });
    const own = join(agentDir, "own.ts");
    const other = join(agentDir, "other.ts");
    const agent = new AgentUnderTest({ args: ["--no-session", "--demo", "-e", own, "-e", other], agentDir });
    cleanups.push(() => agent.dispose());
    expect(await greetings(agent)).toEqual(["other"]);
    const failure = agent.frames.find(({ type }) => type === "extension_error");
    expect(failure).toMatchObject({ extensionPath: own, event: "load", error: expect.stringMatching(error) });
    expect(agent.stderr).toContain(`${own} (load): Failed to load extension: `);
  });

  it("on the command line whose function throws end a run in JSON mode, and are named", () => {
    const { agentDir, remove } = agentDirWith({});
    cleanups.push(remove);
    writeFiles(agentDir, { "own.ts": "export default () => { throw 'on purpose'; };" });
    const own = join(agentDir, "own.ts");
    const args = [BUILT_AGENT, "--mode", "json", "--no-session", "--model", "demo/scripted", "-e", own, "hi"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(`Error: Failed to load extension: it threw 'on purpose' (${own})`);
  });

  it("on the command line load without discovery, each once", async () => {
    const { agentDir, remove } = agentDirWith({ "found.ts": greets("found") });
    cleanups.push(remove);
    writeFiles(agentDir, { "own.ts": greets("own"), "hook.ts": greets("hook") });
    const own = join(agentDir, "own.ts");
    const agent = new AgentUnderTest({
      args: ["--no-session", "--demo", "-ne", "-e", own, "--extension", own, "--hook", join(agentDir, "hook.ts")],
      agentDir,
    });
    cleanups.push(() => agent.dispose());
    expect(await greetings(agent)).toEqual(["own", "hook"]);
  });

  it("in the settings load from paths relative to their file", async () => {
    const { agentDir, remove } = agentDirWith({});
    cleanups.push(remove);
    writeFiles(agentDir, { "settings.json": '{ "extensions": ["more/one.ts"] }', "more/one.ts": greets("one") });
    const agent = new AgentUnderTest({ args: ["--no-session", "--demo"], agentDir });
    cleanups.push(() => agent.dispose());
    expect(await greetings(agent)).toEqual(["one"]);
  });

  it.each([
    ["loads", ["--approve"], ["tiller", "pi"]],
    ["does not load", [], []],
  ])("of a project: a start %s them with %j", async (_, args, expected) => {
    const { agentDir: cwd, remove } = agentDirWith({});
    cleanups.push(remove);
    writeFiles(cwd, { ".tiller/extensions/t.ts": greets("tiller"), ".pi/extensions/p/index.ts": greets("pi") });
    const agent = new AgentUnderTest({ args: ["--no-session", "--demo", ...args], cwd });
    cleanups.push(() => agent.dispose());
    expect(await greetings(agent)).toEqual(expected);
    await agent.end();
    expect(agent.stderr.includes("you haven't trusted the project")).toBe(args.length === 0);
  });

  it("get their flags from the command line, and other flags are reported", async () => {
    const code = `export default (pi) => {
      pi.registerFlag("plan", { type: "boolean", default: false });
      pi.registerFlag("level", { type: "string", default: "low" });
      pi.registerFlag("city", { type: "string", default: "Rome" });
      pi.on("session_start", (_e, ctx) => ctx.ui.notify(JSON.stringify(["plan", "level", "city", "nope"].map((n) => pi.getFlag(n)))));
    };`;
    const agent = start({ "flags.ts": code }, ["--plan", "--level=high", "--other", "value"]);
    expect(await greetings(agent)).toEqual(['[true,"high","Rome",null]']);
    await agent.end();
    expect(agent.stderr).toContain("Unknown option --other is ignored.");
    expect(agent.stderr).not.toContain("--plan");
  });

  it("cannot write to standard output", async () => {
    const agent = start({
      "loud.ts": `console.log("while loading");
        export default (pi) => pi.on("session_start", (_e, ctx) => {
          console.log("from a handler");
          process.stdout.write("raw\\n");
          ctx.ui.notify("done");
        });`,
    });
    expect(await greetings(agent)).toEqual(["done"]);
    await agent.end();
    for (const text of ["while loading", "from a handler", "raw"]) expect(agent.stderr).toContain(text);
    expect(Buffer.concat(agent.stdout).toString()).not.toMatch(/while loading|from a handler|raw/);
  });

  it("that fail in a timer or an unhandled promise are reported, and the agent continues", async () => {
    const agent = start({
      "late.ts": `export default (pi) => pi.on("session_start", () => {
        setTimeout(() => { throw new Error("too late"); }, 1);
        void (async () => { await null; throw new Error("lost"); })();
      });`,
    });
    const errorOf = (text: string) => agent.waitFor(({ type, error }) => type === "extension_error" && error === text);
    const extensionPath = join(agent.agentDir, "extensions", "late.ts");
    expect(await errorOf("too late")).toMatchObject({ event: "uncaught", extensionPath });
    expect(await errorOf("lost")).toMatchObject({ event: "uncaught", extensionPath });
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("can send events to each other and run programs", async () => {
    const agent = start({
      "a.ts": `export default (pi) => {
        pi.events.on("word", () => { throw new Error("deaf"); });
        pi.events.on("word", async (word) => {
          const result = await pi.exec(process.execPath, ["-e", "process.stdout.write(process.argv[1])", word]);
          pi.events.emit("result", result);
        });
      };`,
      "b.ts": `export default (pi) => pi.on("session_start", (_e, ctx) => new Promise((resolve) => {
        pi.events.on("result", (result) => { ctx.ui.notify(JSON.stringify(result)); resolve(); });
        pi.events.emit("word", "ping");
      }));`,
    });
    expect(await greetings(agent)).toEqual(['{"stdout":"ping","stderr":"","code":0,"killed":false}']);
    expect(agent.frames).toContainEqual({
      type: "extension_error",
      extensionPath: "<events>",
      event: "word",
      error: "deaf",
    });
  });
});
