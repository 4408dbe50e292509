import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent with one extension whose function has this body, and `tools` for everything that pi exports. */
function start(body: string): AgentUnderTest {
  const head = `import * as tools from "@earendil-works/pi-coding-agent";\nimport { readFile, writeFile } from "node:fs/promises";`;
  const { agentDir, remove } = agentDirWith({ "mine.ts": `${head}\nexport default (pi) => { ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** Returns the result of the only tool call of a run. */
async function outcome(agent: AgentUnderTest, name: string, input: Record<string, unknown>) {
  model.enqueue(reply([toolCall(name, input)]), reply("ok"));
  const end = (await agent.run("go")).find(({ type }: Frame) => type === "tool_execution_end");
  const { content } = asRecord(end?.result);
  return { isError: end?.isError, text: Array.isArray(content) ? asRecord(content[0]).text : undefined };
}

/** Returns the value that the command `/go` sends as JSON. */
async function told(agent: AgentUnderTest): Promise<unknown> {
  await agent.call("prompt", { message: "/go" });
  const notice = await agent.waitFor(({ method, type }) => method === "notify" || type === "extension_error");
  return notice.method === "notify" ? JSON.parse(String(notice.message)) : notice.error;
}

const tell = (body: string) =>
  `pi.registerCommand("go", { handler: async (_args, ctx) => ctx.ui.notify(JSON.stringify(await (async () => { ${body} })())) });`;

/** Files of an extension: in memory, by absolute path. */
const MEMORY = `
  const files = new Map([["/far/a.txt", "one\\ntwo\\nthree"]]);
  const missing = (path) => Object.assign(new Error("no " + path), { code: "ENOENT" });
  const readFile = async (path) => { if (!files.has(path)) throw missing(path); return Buffer.from(files.get(path)); };
  const access = async (path) => void (await readFile(path));
  const operations = { access, readFile, mkdir: async () => {}, writeFile: async (path, text) => void files.set(path, text) };`;

describe("tools that extensions make from the built-in ones", () => {
  it("replace the built-in one, and work on other files", async () => {
    const agent = start(`${MEMORY}
      pi.registerTool({ ...tools.createReadTool("/far", { operations }), label: "far" });
      pi.registerTool(tools.createWriteTool("/far", { operations }));
      pi.registerTool(tools.createEditTool("/far", { operations }));`);
    expect(await outcome(agent, "read", { path: "a.txt", offset: 2, limit: 1 })).toEqual({
      isError: false,
      text: "two\n\n[1 more lines in file. Use offset=3 to continue.]",
    });
    expect(await outcome(agent, "edit", { path: "a.txt", oldText: "two", newText: "2" })).toEqual({
      isError: false,
      text: "Successfully replaced 1 block(s) in a.txt.",
    });
    expect(await outcome(agent, "edit", { path: "b.txt", oldText: "x", newText: "y" })).toEqual({
      isError: true,
      text: "File not found: b.txt",
    });
    expect(await outcome(agent, "write", { path: "b.txt", content: "new" })).toEqual({
      isError: false,
      text: "Successfully wrote 3 bytes to b.txt",
    });
    expect((await outcome(agent, "read", { path: "b.txt" })).text).toBe("new");
    expect((await outcome(agent, "read", { path: "a.txt" })).text).toBe("one\n2\nthree");
  });

  it("give the model the same texts as the built-in ones", async () => {
    const agent = start(
      tell(`const own = tools.createCodingTools(ctx.cwd).concat(tools.createReadOnlyTools(ctx.cwd));
        return own.map((tool) => [tool.name, tool.readOnly, Object.keys(tool.parameters.properties).join(" ")]);`),
    );
    expect(await told(agent)).toEqual([
      ["read", true, "path offset limit pages lineNumbers"],
      ["bash", false, "command timeout cwd description"],
      ["edit", false, "path edits"],
      ["write", false, "path content"],
      ["read", true, "path offset limit pages lineNumbers"],
      ["grep", true, "pattern path glob ignoreCase i literal context limit"],
      ["find", true, "pattern path limit"],
      ["ls", true, "path limit"],
    ]);
  });

  it("run commands in the extension's shell, and report how they ended", async () => {
    const agent =
      start(`pi.registerTool(tools.createBashTool("/far", { operations: { async exec(command, cwd, options) {
      options.onData(Buffer.from(cwd + "$ " + command + "\\n"));
      if (command === "late") throw new Error("timeout:" + options.timeout);
      if (command === "own limit") throw new Error("timeout:3");
      if (command === "stop") throw new Error("aborted");
      return { exitCode: command === "lost" ? null : Number(command) };
    } } }));`);
    expect(await outcome(agent, "bash", { command: "0" })).toEqual({ isError: false, text: "/far$ 0" });
    const failed = (text: string) => ({ isError: true, text });
    expect(await outcome(agent, "bash", { command: "3" })).toEqual(failed("/far$ 3\n\nCommand exited with code 3"));
    expect(await outcome(agent, "bash", { command: "late", timeout: 7 })).toEqual(
      failed(
        "/far$ late\n\nCommand timed out after 7 seconds. If it needs longer, give a larger timeout; start a server in the background with &.",
      ),
    );
    expect((await outcome(agent, "bash", { command: "own limit" })).text).toContain("timed out after 3 seconds.");
    expect(await outcome(agent, "bash", { command: "stop" })).toEqual(failed("/far$ stop\n\nCommand aborted"));
    expect(await outcome(agent, "bash", { command: "lost" })).toEqual(
      failed("/far$ lost\n\nCommand terminated without an exit code"),
    );
  });

  it("let a hook change the command, its folder and its environment", async () => {
    const agent = start(`pi.registerTool(tools.createBashTool(process.cwd(), {
      commandPrefix: "greeting=hello",
      spawnHook: ({ command, cwd, env }) => ({ command: command + "; pwd", cwd: "/", env: { ...env, NAME: "you" } }),
    }));`);
    expect(await outcome(agent, "bash", { command: "echo $greeting $NAME" })).toEqual({
      isError: false,
      text: "hello you\n/",
    });
  });

  it("wrap the local shell", async () => {
    const agent = start(
      tell(`const local = tools.createLocalBashOperations();
        const seen = [];
        const onData = (data) => seen.push(String(data));
        const { exitCode } = await local.exec("echo $X; exit 4", "/", { onData, env: { ...process.env, X: "y" } });
        const late = await local.exec("sleep 5", "/", { onData, timeout: 0.05 }).catch((error) => error.message);
        const stop = await local.exec("true", "/", { onData, signal: AbortSignal.abort() }).catch((error) => error.message);
        return [seen.join(""), exitCode, late, stop];`),
    );
    expect(await told(agent)).toEqual(["y\n", 4, "timeout:0.05", "aborted"]);
  });

  it("find files, folders and lines with the extension's operations", async () => {
    const agent = start(
      tell(`const text = async (tool, params) => (await tool.execute("1", params)).content[0].text;
        const dirs = ["/far", "/far/src"];
        const ls = tools.createLsTool("/far", { operations: {
          exists: (path) => dirs.includes(path) || path.endsWith(".ts"), stat: (path) => ({ isDirectory: () => dirs.includes(path) }),
          readdir: () => ["b.ts", "src"] } });
        const find = tools.createFindTool("/far", { operations: {
          exists: () => true, glob: async (pattern, cwd, { limit }) => [cwd + "/src/" + pattern, limit + ".ts"] } });
        const grep = tools.createGrepTool(ctx.cwd, { operations: {
          isDirectory: () => true, readFile: (path) => "above\\nline\\nbelow" } });
        return [await text(ls, {}), await text(ls, { path: "b.ts" }).catch((error) => error.message),
          await text(find, { pattern: "a.ts", limit: 3 }), await text(grep, { pattern: "needle", context: 1 })];`),
    );
    writeFileSync(join(agent.cwd, "hay.txt"), "x\nneedle\nx");
    expect(await told(agent)).toEqual([
      "b.ts\nsrc/",
      "Not a directory: b.ts",
      "src/a.ts\n3.ts",
      "hay.txt-1- above\nhay.txt:2: needle\nhay.txt-3- below",
    ]);
  });

  it("take turns with other work on the same file", async () => {
    const agent = start(
      tell(`const path = ctx.cwd + "/list.txt";
        await writeFile(path, "0");
        const add = async (word) => {
          const before = await readFile(path, "utf8");
          await new Promise(setImmediate);
          await writeFile(path, before + word);
        };
        const { execute } = tools.createEditTool(ctx.cwd);
        await Promise.all([
          tools.withFileMutationQueue(path, () => add(" a")),
          execute("1", { path: "list.txt", oldText: "0 a", newText: "1 a" }),
          tools.withFileMutationQueue(path, () => add(" b")),
        ]);
        return readFile(path, "utf8");`),
    );
    expect(await told(agent)).toBe("1 a b");
  });

  it("are refused with the name of a missing operation", async () => {
    const agent = start(
      tell(
        `try { tools.createReadTool("/", { operations: { readFile() {} } }); } catch (error) { return error.message; }`,
      ),
    );
    expect(await told(agent)).toBe("The operations of this tool lack access().");
  });
});
