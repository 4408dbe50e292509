import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { citation } from "../support/messages-api-search.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, httpError, reply, text, toolCall, webSearch } from "../support/scripted-replies.ts";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let model: ScriptedModel;
let folder: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-headless-"));
  mkdirSync(join(folder, "home"));
});

afterEach(async () => {
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], stdin: "pipe" | number, cwd = folder): ChildProcess {
  const keys = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: model.url };
  return spawn(process.execPath, [BUILT_AGENT, "--no-session", ...args], {
    cwd,
    stdio: [stdin, "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: join(folder, "home"), ...keys },
  });
}

async function outcome(child: ChildProcess) {
  const told = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    told.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    told.stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, ...told };
}

/** Runs the built agent to its end. @param input what stands in its standard input. */
async function tiller(args: readonly string[], input: string | Buffer = "", cwd = folder) {
  const path = join(folder, "home", "stdin");
  writeFileSync(path, input);
  const stdin = openSync(path, "r");
  try {
    return await outcome(start(args, stdin, cwd));
  } finally {
    closeSync(stdin);
  }
}

const sent = (at = 0) =>
  model.requests[at]?.body.messages.map(({ content }) => JSON.stringify(content)).join("\n") ?? "";

describe("tiller -p", () => {
  it("prints the last answer and nothing else", async () => {
    model.enqueue(
      reply([text("Let me look."), toolCall("bash", { command: "echo hi" })], { stopReason: "tool_use" }),
      reply("It says hi."),
    );
    expect(await tiller(["-p", "What does it say?"])).toEqual({ code: 0, stdout: "It says hi.\n", stderr: "" });
  });

  it("takes the message from standard input when the command line has none", async () => {
    model.enqueue(reply("ok"));
    expect(await tiller(["--print"], "What is here?\n")).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(model.requests[0]?.body.messages[0]?.content).toMatchObject([{ type: "text", text: "What is here?" }]);
  });

  it("attaches standard input to the message of the command line", async () => {
    model.enqueue(reply("ok"));
    expect(await tiller(["-p", "Review this."], "- old\n+ new\n")).toMatchObject({ code: 0 });
    expect(sent()).toMatch(/"Review this\.\\n\\n<attached key=.*standard input.*- old\\n\+ new/);
  });

  it("attaches text files and images that are named with @", async () => {
    writeFiles(folder, { "notes.txt": "Buy milk" });
    writeFileSync(join(folder, "dot.png"), PNG);
    model.enqueue(reply("ok"));
    expect(await tiller(["-p", "Read these.", "@notes.txt", "@dot.png"])).toMatchObject({ code: 0, stderr: "" });
    expect(sent()).toContain("Buy milk");
    expect(sent()).toContain('"media_type":"image/png"');
  });

  it("does not wait for a host that never closes standard input", async () => {
    model.enqueue(reply("ok"));
    expect(await outcome(start(["-p", "hello"], "pipe"))).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr:
        "Standard input was silent for 300 ms, so tiller sent the message without it. Close it, or attach a file with @.\n",
    });
  });

  it("tells the model that nobody answers questions", async () => {
    model.enqueue(reply("ok"));
    await tiller(["-p", "hello"]);
    expect(JSON.stringify(model.requests[0]?.body.system)).toContain("Nobody can answer questions while you work");
  });

  it("says that nobody can be asked when a call needs approval", async () => {
    model.enqueue(reply([toolCall("bash", { command: "touch x" })], { stopReason: "tool_use" }), reply("Not allowed."));
    expect(await tiller(["-p", "go", "--permission-mode", "confirm"])).toMatchObject({ code: 0 });
    expect(sent(1)).toContain("Blocked: bash needs approval, but nobody is there to ask.");
  });

  it("runs commands in the sandbox, and says what that refused", async () => {
    const bash = (command: string) => reply([toolCall("bash", { command })], { stopReason: "tool_use" });
    model.enqueue(
      bash("echo done > x && cat x"),
      bash("sh -c 'echo no > /etc/tiller-x'"),
      bash("git push"),
      reply("Ok."),
    );
    mkdirSync(join(folder, "work"));
    const mode = ["--permission-mode", "sandboxed"];
    expect(await tiller(["-p", "go", ...mode], "", join(folder, "work"))).toEqual({
      code: 0,
      stdout: "Ok.\n",
      stderr: "",
    });
    expect(sent(1)).toContain('"done');
    expect(sent(2)).toContain("seems to have refused writing outside the workspace");
    expect(sent(3)).toContain("Blocked: bash needs approval, but nobody is there to ask.");
  });

  it("says why there is no sandbox, and runs no command without approval then", async () => {
    model.enqueue(reply([toolCall("bash", { command: "touch x" })], { stopReason: "tool_use" }), reply("Not allowed."));
    const { stderr } = await tiller(["-p", "go", "--permission-mode", "sandboxed"]);
    expect(stderr).toMatch(/Commands can't run in a sandbox here: the workspace .* Tiller's own\. Tiller asks before/);
    expect(sent(1)).toContain("Blocked: bash needs approval, but nobody is there to ask.");
  });

  it("exits with 1 and the reason when the answer fails", async () => {
    model.enqueue(httpError(400, "invalid_request_error", "Too hot"));
    const { code, stdout, stderr } = await tiller(["-p", "hello", "and more"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: .*Too hot/);
  });

  it("exits with 130 when it is interrupted", async () => {
    const held = gate();
    model.enqueue(reply([text("Half"), held]));
    const child = start(["-p", "hello"], "pipe");
    const ended = outcome(child);
    await held.reached.promise;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stdout: "" });
    held.release();
  });

  it.each([
    [["-p"], "", 'Error: -p needs a message: tiller -p "What is in this folder?"\n'],
    [["-p", " "], "", 'Error: -p needs a message: tiller -p "What is in this folder?"\n'],
    [["-p"], PNG, "Error: The attachments need a message. Say what to do with them.\n"],
    [["-p", "x"], Buffer.from([1, 0, 2]), "Error: Standard input isn't UTF-8 text or an image.\n"],
    [
      ["-p", "x", "@home"],
      "",
      "Error: @home can't be read: it's a folder. Name a file, or tell the agent to look in the folder\n",
    ],
    [["-p", "x", "@gone.txt"], "", "Error: @gone.txt can't be read: the file doesn't exist\n"],
    [["-p", "first", "--bogus", "second"], "", 'Error: Unknown option --bogus. It took "second" as its value.\n'],
    [["-p", "x", "--max-turns", "0"], "", "Error: --max-turns requires a whole number above 0\n"],
    [["-p", "x", "--max-cost", "a lot"], "", "Error: --max-cost requires a number of US dollars above 0\n"],
    [["-p", "x", "--output-schema", "gone.json"], "", /^Error: Couldn't read the schema from .*gone\.json: /],
  ])("exits with 2 for a command line that cannot be used: %j", async (args, input, problem) => {
    const { code, stdout, stderr } = await tiller(args, input);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(problem);
  });
});

describe("--mode json", () => {
  it("takes the message from standard input", async () => {
    model.enqueue(reply("ok"));
    const { code, stdout } = await tiller(["--mode", "json"], "What is here?");
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toContain('"type":"session"');
    expect(sent()).toContain("What is here?");
  });
});

describe("limits", () => {
  const look = () => reply([toolCall("bash", { command: "true" })], { stopReason: "tool_use" });

  it("end the work after a number of turns, without another request", async () => {
    model.enqueue(look(), look());
    expect(await tiller(["-p", "go", "--max-turns", "2"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: Stopped after 2 turns (--max-turns).\n",
    });
  });

  it("do not matter when the last allowed turn brings the answer", async () => {
    model.enqueue(look(), reply("Done."));
    expect(await tiller(["-p", "go", "--max-turns", "2"])).toMatchObject({ code: 0, stdout: "Done.\n" });
  });

  it("end the work at a cost", async () => {
    model.enqueue(look());
    const { code, stderr } = await tiller(["-p", "go", "--max-cost", "0.00001"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Error: Stopped at a cost of \$0\.\d+ /),
    });
  });

  it("count what summaries cost", async () => {
    const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    const tiny = { id: "tiny", contextWindow: 10_000, maxTokens: 3000, cost };
    const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "ANTHROPIC_API_KEY", models: [tiny] };
    const compaction = { reserveTokens: 2000, keepRecentTokens: 100 };
    writeFiles(join(folder, "home", ".tiller", "agent"), {
      "models.json": JSON.stringify({ providers: { local } }),
      "settings.json": JSON.stringify({ compaction }),
    });
    const long = "word ".repeat(200);
    const dear = { usage: { input_tokens: 100_000 } };
    model.enqueue(reply(long), reply(long, { usage: { input_tokens: 9000 } }), reply("H", dear), reply("B", dear));
    expect(await tiller(["-p", "one", "two", "three", "--model", "local/tiny", "--max-cost", "0.1"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: Stopped at a cost of \$0\.2/),
    });
  });
});

describe("--output-schema", () => {
  const SCHEMA = {
    type: "object",
    properties: { count: { type: "integer" } },
    required: ["count"],
    additionalProperties: false,
  };

  function ask() {
    writeFiles(folder, { "answer.json": JSON.stringify(SCHEMA) });
    return tiller(["-p", "How many?", "--output-schema", "answer.json"]);
  }

  it("prints the answer as JSON, also from a block of code, and tells the model the schema", async () => {
    model.enqueue(reply('Here it is:\n```json\n{ "count": 3 }\n```'));
    expect(await ask()).toEqual({ code: 0, stdout: '{"count":3}\n', stderr: "" });
    expect(JSON.stringify(model.requests[0]?.body.system)).toContain("fits this JSON Schema");
  });

  it("takes only what the model wrote, without the links to its sources", async () => {
    const passage = citation("https://a.example/", "A", "Three.");
    writeFiles(join(folder, "home"), { ".tiller/agent/settings.json": '{"web":{"search":"provider"}}' });
    model.enqueue(reply([...webSearch("count", []), text('{"count":3}', { citations: [passage] })]));
    expect(await ask()).toEqual({ code: 0, stdout: '{"count":3}\n', stderr: "" });
  });

  it("asks again when the answer does not fit", async () => {
    model.enqueue(reply("Three."), reply('{"count":"three"}'), reply('{"count":3}'));
    expect(await ask()).toEqual({ code: 0, stdout: '{"count":3}\n', stderr: "" });
    expect(sent(1)).toContain("it is not JSON");
    expect(sent(2)).toContain("count: Invalid input: expected number");
  });

  it("asks at most twice again, and then fails", async () => {
    model.enqueue(reply("Three."), reply("Three!"), reply("Three?"));
    const { code, stdout, stderr } = await ask();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("Error: The answer doesn't match the schema:");
  });
});

describe("--print-system-prompt", () => {
  it("prints the whole prompt, in the form for the mode", async () => {
    writeFiles(folder, { "AGENTS.md": "Whistle while you work." });
    const headless = await tiller(["--print-system-prompt"]);
    expect(headless).toMatchObject({ code: 0, stderr: "" });
    expect(headless.stdout).toContain("Carry on until the request is done.");
    expect(headless.stdout).toContain("Whistle while you work.");
    expect(headless.stdout).toContain("Nobody can answer questions");
    const hosted = await tiller(["--print-system-prompt", "--mode", "rpc"]);
    expect(hosted.stdout).toContain("through the program that started you");
  });
});
