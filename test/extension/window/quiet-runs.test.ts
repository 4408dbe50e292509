import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ChatStart } from "../../../extension/chat/chat-session.ts";
import { NoModel, QuietRuns } from "../../../extension/window/quiet-runs.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { httpError, type ReplySource, reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

const BLOCKS = [{ meta: { kind: "git" }, content: '+ the "change"\n\n  indented\n' }] as const;

/** Quiet runs with the built agent, beside a chat of the window. */
async function quietRuns({ hasKey = true, replies = [] as ReplySource[] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "tiller-quiet-"));
  const model = await ScriptedModel.start();
  model.enqueue(...replies);
  const starts: ChatStart[] = [];
  const create = (start: ChatStart) => {
    starts.push(start);
    const args = ["--mode", "rpc", "--no-session", "--permission-mode", "readonly", "--demo", "--no-tools"];
    const key: Record<string, string> = hasKey ? { ANTHROPIC_API_KEY: "test-key" } : {};
    return openChat(folder, {
      start,
      launch: async () => ({
        file: process.execPath,
        args: [BUILT_AGENT, ...args],
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          PI_CODING_AGENT_DIR: folder,
          ANTHROPIC_BASE_URL: model.url,
          ...key,
        },
      }),
    }).chat;
  };
  const beside = create({ key: "beside" });
  const runs = new QuietRuns(create);
  onTestFinished(async () => {
    await Promise.all([runs.dispose(), beside.dispose()]);
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const ask = (template = "commit-message", signal = new AbortController().signal) =>
    runs.ask({ template, args: "Begin here", blocks: BLOCKS, beside, signal });
  return { ask, runs, beside, model, folder, starts };
}

describe("a quiet run", () => {
  test("sends a template with what is attached, unchanged and without tools, and ends its agent", async () => {
    const { ask, runs, model, starts } = await quietRuns({ replies: [reply("Add a port")] });
    expect(await ask()).toBe("Add a port");
    expect(runs.chats).toEqual([]);
    expect(starts[1]).toMatchObject({ isTemporary: true, isQuiet: true });
    const { body } = model.requests[0] ?? {};
    expect(body?.tools ?? []).toEqual([]);
    const [message] = body?.messages ?? [];
    const sent = JSON.stringify(message);
    expect(sent).toContain("Write the message for a commit");
    expect(sent).toContain("Begin here");
    expect(sent).toContain(JSON.stringify(BLOCKS[0].content).slice(1, -1));
  });

  test("uses the user's template of the same name", async () => {
    const { ask, model, folder } = await quietRuns({ replies: [reply("ok")] });
    await mkdir(join(folder, "prompts"));
    await writeFile(join(folder, "prompts", "commit-message.md"), "Use gitmoji.");
    await ask();
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("Use gitmoji.");
  });

  test("uses the model of the chat beside it", async () => {
    const { ask, beside, model } = await quietRuns({ replies: [reply("ok")] });
    const { models } = await beside.request("get_available_models", {});
    const { model: standard } = await beside.request("get_state", {});
    const other = models.find(({ provider, id }) => provider === standard?.provider && id !== standard.id);
    await beside.request("set_model", { provider: other?.provider ?? "", modelId: other?.id ?? "" });
    await ask();
    expect(model.requests[0]?.body.model).toBe(other?.id);
  });

  test("says what to do without a model, without the template, and when the model fails", async () => {
    const demo = await quietRuns({ hasKey: false });
    await expect(demo.ask()).rejects.toThrow(NoModel);
    const { ask } = await quietRuns({ replies: [httpError(400, "invalid_request_error", "Too many colors.")] });
    await expect(ask("no-such")).rejects.toThrow('no prompt template "no-such"');
    await expect(ask()).rejects.toThrow("Too many colors.");
  });

  test("that is canceled stops its agent and rejects with the reason", async () => {
    const { ask, runs } = await quietRuns();
    const canceled = new AbortController();
    const asked = ask("commit-message", canceled.signal);
    canceled.abort(new Error("Enough."));
    await expect(asked).rejects.toThrow("Enough.");
    expect(runs.chats).toEqual([]);
  });
});
