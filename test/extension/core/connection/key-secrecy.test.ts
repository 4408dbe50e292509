import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentCommand } from "../../../../agent/client/agent-process.ts";
import { startAgent } from "../../../../agent/client/start-agent.ts";
import { locateAgent } from "../../../../extension/core/connection/locate-agent.ts";
import { KEY_SEARCH, NOTHING_FOUND } from "../../../support/key-search.ts";
import { ScriptedModel } from "../../../support/scripted-model.ts";
import { reply } from "../../../support/scripted-replies.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const KEY = `sk-test-${randomBytes(16).toString("hex")}`;

let folder: string;
let model: ScriptedModel;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-secrecy-"));
  await writeFile(join(folder, "key.txt"), `${KEY}\n`);
  model = await ScriptedModel.start();
});
afterEach(async () => {
  await model.stop();
  await rm(folder, { recursive: true });
});

function locate(commandLine: string): Promise<AgentCommand> {
  const extraEnv = {
    ANTHROPIC_BASE_URL: model.url,
    PI_CODING_AGENT_DIR: folder,
    KEY_FILE: join(folder, "key.txt"),
  };
  return locateAgent({
    commandLine,
    extraEnv,
    permissionMode: "auto",
    denyRead: [],
    askForReadOnlyCommands: false,
    titleModel: "",
    isProjectTrusted: false,
    model: "",
    thinkingLevel: "",
    cwd: folder,
    folders: [{ name: "work", path: folder }],
    extensionPath: ROOT,
    sessionFile: undefined,
    sessionId: "s1",
    isTemporary: true,
    hasTools: true,
    keys: { ANTHROPIC_API_KEY: KEY, OPENROUTER_API_KEY: KEY },
    ripgrepPath: undefined,
    parentEnv: { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: "sk-of-the-editor" },
    runtime: process.execPath,
  });
}

test.each([
  ["the agent of the extension", ""],
  ["an agent of the user's own", `${process.execPath} ${join(ROOT, "dist", "agent", "cli.js")}`],
])("a stored key reaches %s, and no command finds it", async (_, commandLine) => {
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const { client } = await startAgent(await locate(commandLine), {
    event: ({ type }) => type === "agent_settled" && settle(),
  });
  expect(await client.request("bash", { command: KEY_SEARCH })).toMatchObject({ output: NOTHING_FOUND });
  model.enqueue(reply("hi"));
  await client.request("prompt", { message: "hello" });
  await settled;
  expect(model.requests[0]?.headers["x-api-key"]).toBe(KEY);
  await client.close();
});
