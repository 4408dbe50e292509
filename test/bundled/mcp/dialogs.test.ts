import { join } from "node:path";
import { ElicitRequestFormParamsSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { elicit } from "../../../agent/bundled/mcp/elicitation.ts";
import { InputValues } from "../../../agent/bundled/mcp/input-values.ts";
import type { ServerEntry } from "../../../agent/bundled/mcp/server-config.ts";
import { deferred } from "../../../agent/util/deferred.ts";
import { faultyServer, McpBench, outcomeText, stdioServer, toolNames } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import type { AgentUnderTest, Frame } from "../../support/spawn-agent.ts";

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

const DIALOGS = ["select", "confirm", "input"];

/** Answers dialogs with these values, in this order; undefined closes one. @returns the dialogs. */
async function answer(agent: AgentUnderTest, values: readonly (string | undefined)[]): Promise<Frame[]> {
  const questions: Frame[] = [];
  for (const value of values) {
    const from = (agent.frames.indexOf(questions.at(-1) ?? { type: "" }) ?? -1) + 1;
    const question = await agent.waitFor(({ method }) => DIALOGS.includes(String(method)), from);
    questions.push(question);
    const given = value === undefined ? { cancelled: true } : { value };
    agent.send({ type: "extension_ui_response", id: question.id, ...given });
  }
  return questions;
}

function vscodeFile(env: Record<string, string>): string {
  return JSON.stringify({
    inputs: [
      { type: "promptString", id: "key", description: "The key", password: true },
      { type: "pickString", id: "place", options: ["here", "there"] },
      { type: "command", id: "odd", command: "x" },
    ],
    servers: { fix: stdioServer(env) },
  });
}

describe("inputs of .vscode/mcp.json", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds variables
  const env = { KEY: "k-${input:key}", PLACE: "${input:place}", FOLDER: "${workspaceFolder}" };

  it("are requested once, when the server starts", async () => {
    const agent = bench.start({ project: { ".vscode/mcp.json": vscodeFile(env) }, args: ["--approve"] });
    bench.model.enqueue(reply([toolCall("mcp__fix__environment", { name: "KEY" })]), reply("ok"));
    const run = agent.run("go");
    const [key, place] = await answer(agent, ["abc", "there"]);
    expect(key).toMatchObject({ method: "input", title: 'MCP server "fix" needs: The key' });
    expect(place).toMatchObject({
      method: "select",
      title: 'MCP server "fix" needs: place',
      options: ["here", "there"],
    });
    expect(outcomeText(await run)).toBe("KEY=k-abc");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__environment", { name: "PLACE" }))).toBe("PLACE=there");
    const folder = await bench.callTool(agent, "mcp__fix__environment", { name: "FOLDER" });
    expect(outcomeText(folder)).toBe(`FOLDER=${agent.cwd}`);
    expect(agent.frames.find(({ type }) => type === "extension_error")?.error).toContain("an input is left out: type:");
  });

  it("that are not given stop the server from starting until the next prompt", async () => {
    const agent = bench.start({ project: { ".vscode/mcp.json": vscodeFile(env) }, args: ["--approve"] });
    bench.model.enqueue(reply("hello"), reply("hello"));
    const first = agent.run("go");
    await answer(agent, [undefined]);
    await first;
    expect(agent.frames.findLast(({ type }) => type === "extension_error")?.error).toBe(
      `MCP server "fix" (${join(agent.cwd, ".vscode", "mcp.json")}) is not running: "The key" is missing.`,
    );
    const from = agent.frames.length;
    const second = agent.run("go");
    const question = await agent.waitFor(({ method }) => method === "input", from);
    agent.send({ type: "extension_ui_response", id: question.id, value: "abc" });
    const choice = await agent.waitFor(({ method }) => method === "select", from);
    agent.send({ type: "extension_ui_response", id: choice.id, value: "here" });
    await second;
    expect(toolNames(bench.model, 1)).toContain("mcp__fix__echo");
  });
});

describe("the values of inputs", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
  const config = { kind: "stdio" as const, command: "${input:key}", args: [], env: {} };
  const { signal } = new AbortController();

  function entryOf(name: string, path: string): ServerEntry {
    const inputs = new Map([["key", { type: "promptString" as const, id: "key" }]]);
    return { name, file: { path, scope: "project" }, isDisabled: false, config, inputs };
  }

  /** A user who gives these answers; the last question stays open. */
  function valuesOf(...answers: string[]) {
    const asked: string[] = [];
    const input = (title: string) => {
      asked.push(title);
      const answer = answers.shift();
      return answer === undefined ? deferred<undefined>().promise : Promise.resolve(answer);
    };
    const ui = () => ({ input, select: async () => undefined });
    return { asked, values: new InputValues({ ui, ownerOf: ({ file }) => file.path }) };
  }

  it("are asked for again after they were forgotten, and for another owner", async () => {
    const { asked, values } = valuesOf("wrong", "right", "other");
    const entry = entryOf("a", "/1");
    expect((await values.valuesFor(entry, signal)).get("key")).toBe("wrong");
    expect((await values.valuesFor(entry, signal)).get("key")).toBe("wrong");
    values.forget(entry);
    expect((await values.valuesFor(entry, signal)).get("key")).toBe("right");
    expect((await values.valuesFor(entryOf("a", "/2"), signal)).get("key")).toBe("other");
    expect(asked).toHaveLength(3);
  });

  it("aren't waited for after an abort, even behind another dialog", async () => {
    const { asked, values } = valuesOf();
    void values.valuesFor(entryOf("a", "/1"), signal);
    await expect(values.valuesFor(entryOf("b", "/2"), AbortSignal.timeout(50))).rejects.toThrow("timeout");
    expect(asked).toEqual(['MCP server "a" needs: key']);
  });

  it("that are wrong can be corrected with a restart", async () => {
    const program = `[ "$KEY" = right ] && exec ${process.execPath} ${stdioServer().args.join(" ")}`;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
    const fix = { command: "sh", args: ["-c", program], env: { ...stdioServer().env, KEY: "${input:key}" } };
    const inputs = [{ type: "promptString", id: "key", password: true }];
    const file = JSON.stringify({ inputs, servers: { fix } });
    const agent = bench.start({ project: { ".vscode/mcp.json": file }, args: ["--approve"] });
    bench.model.enqueue(reply("hello"));
    const run = agent.run("hi");
    await answer(agent, ["wrong"]);
    await run;
    const from = agent.frames.length;
    const done = agent.call("prompt", { message: "/mcp" });
    const list = await agent.waitFor(({ method }) => method === "select", from);
    const [line] = Array.isArray(list.options) ? list.options : [];
    agent.send({ type: "extension_ui_response", id: list.id, value: line });
    const wish = await agent.waitFor(({ title }) => title === "MCP server fix", from);
    agent.send({ type: "extension_ui_response", id: wish.id, value: "Restart" });
    const again = await agent.waitFor(({ method }) => method === "input", from);
    agent.send({ type: "extension_ui_response", id: again.id, value: "right" });
    await done;
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
  });
});

describe("an untrusted project", () => {
  it("has no servers, and one line says so", async () => {
    const project = { ".mcp.json": JSON.stringify({ mcpServers: { fix: stdioServer() } }) };
    const agent = bench.start({ project });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(bench.log()).toEqual([]);
    const told = agent.stderr.split("\n").filter((line) => line.includes("MCP"));
    expect(told).toEqual([
      `Ignored the MCP servers in ${agent.cwd} because you haven't trusted the project (--approve).`,
    ]);
  });

  it("does not affect the user's servers", async () => {
    const project = { ".mcp.json": JSON.stringify({ mcpServers: { theirs: stdioServer() } }) };
    const agent = bench.start({ project, servers: { mine: stdioServer() } });
    expect(outcomeText(await bench.callTool(agent, "mcp__mine__echo", { text: "hi" }))).toBe("echo: hi");
    expect(toolNames(bench.model, 0)).not.toContain("mcp__theirs__echo");
  });
});

describe("/mcp", () => {
  it("shows the servers and restarts the selected one", async () => {
    const servers = { fix: stdioServer({ FIXTURE_TOOLS: "echo,die" }), off: { ...stdioServer(), disabled: true } };
    const agent = bench.start({ servers });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const done = agent.call("prompt", { message: "/mcp" });
    const [list] = await answer(agent, ["fix: running, 2 tools", "Restart"]);
    await done;
    const file = join(agent.agentDir, "mcp.json");
    expect(list?.options).toEqual(["fix: running, 2 tools", `off: disabled in ${file}`]);
    const told = await agent.waitFor(({ method }) => method === "notify");
    expect(told).toMatchObject({ message: "fix: running, 2 tools", notifyType: "info" });
    expect(bench.log().filter((line) => line.startsWith("start"))).toHaveLength(2);
  });

  it("restarts a server that has crashed twice", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    await bench.callTool(agent, "mcp__fix__die");
    await bench.callTool(agent, "mcp__fix__die");
    await agent.waitFor(({ type }) => type === "extension_error");
    const from = agent.frames.length;
    const done = agent.call("prompt", { message: "/mcp" });
    const list = await agent.waitFor(({ method }) => method === "select", from);
    const [state] = Array.isArray(list.options) ? list.options : [];
    expect(state).toBe("fix: not running: it has ended (exit code 3) a second time.");
    agent.send({ type: "extension_ui_response", id: list.id, value: state });
    const wish = await agent.waitFor(({ title }) => title === "MCP server fix", from);
    agent.send({ type: "extension_ui_response", id: wish.id, value: "Restart" });
    await done;
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
  });

  it("is listed as a command of the agent", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { commands } = await agent.call("get_commands");
    expect(JSON.stringify(commands)).toContain("Show MCP servers, restart one, or sign in");
  });
});

describe("a server that asks the user", () => {
  async function ask(values: readonly (string | undefined)[]) {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    bench.model.enqueue(reply([toolCall("mcp__fix__ask")]), reply("ok"));
    const run = agent.run("go");
    const questions = await answer(agent, values);
    return { questions, result: outcomeText(await run) };
  }

  it("gets an answer for each field", async () => {
    const { questions, result } = await ask(["Answer", "blue", "3", "Yes"]);
    expect(questions.map(({ method, title }) => [method, title])).toEqual([
      ["select", 'MCP server "fix" asks: Which one?'],
      ["select", "fix: colour"],
      ["input", "fix: How many"],
      ["select", "fix: sure"],
    ]);
    expect(result).toBe('{"action":"accept","content":{"colour":"blue","count":3,"sure":true}}');
  });

  it("gets one dialog when it asks fifty questions at once, without disguise", async () => {
    const agent = bench.start({
      servers: { faulty: faultyServer(bench, "asks") },
      settings: { mcp: { waitMs: 25_000 } },
    });
    bench.model.enqueue(reply([toolCall("mcp__faulty__t")]));
    await agent.call("prompt", { message: "go" });
    await expect.poll(() => bench.log(), { timeout: 20_000 }).toContain("refused 45");
    await agent.waitFor(({ method }) => method === "select");
    const titles = agent.frames.filter(({ method }) => method === "select").map(({ title }) => title);
    expect(titles).toEqual(['MCP server "faulty" asks: line MCP server "bank" asks: [2Jtoken']);
  });

  it("shows no text that looks like a part of the dialog, and no choices that nobody can tell apart", async () => {
    const titles: unknown[] = [];
    const ui = {
      async select(title: string, options: readonly string[]) {
        titles.push(title, options);
        return options[0];
      },
      input: async () => "",
    };
    const form = (field: object) => ({
      message: "a\n\u202eb",
      requestedSchema: { type: "object", properties: { f: field } },
    });
    const field = { type: "string", title: "t\u001b[2J", description: "d\nd", enum: ["x\n1", "y"] };
    const asked = elicit("s", ElicitRequestFormParamsSchema.parse(form(field)), ui, new AbortController().signal);
    expect(await asked).toEqual({ action: "accept", content: { f: "x\n1" } });
    expect(titles).toEqual(['MCP server "s" asks: a b', ["Answer", "No"], "s: t [2J (d d)", ["x 1", "y"]]);
    const same = { type: "string", enum: ["x", "x\u200b"] };
    const refused = elicit("s", ElicitRequestFormParamsSchema.parse(form(same)), ui, new AbortController().signal);
    expect(await refused).toEqual({ action: "decline" });
  });

  it("learns that the user declined, closed a dialog, or entered no number", async () => {
    expect((await ask(["No"])).result).toBe('{"action":"decline"}');
    expect((await ask(["Answer", undefined])).result).toBe('{"action":"cancel"}');
    expect((await ask(["Answer", "red", "three"])).result).toBe('{"action":"cancel"}');
  });
});
