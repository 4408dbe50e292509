import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openChat } from "../../support/open-chat.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

/** A chat with the built agent, which has been allowed to run something in this session. */
async function allowed(sessionId: () => string) {
  const folder = await mkdtemp(join(tmpdir(), "tiller-rules-"));
  const { chat, ui } = openChat(folder, {
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--permission-mode", "confirm", "--session-id", sessionId()],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: folder },
    }),
  });
  onTestFinished(async () => {
    await chat.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  const rule = { id: "r1", scope: "session", tool: "bash", pattern: "npm *", text: "bash npm *" } as const;
  await chat.request("add_approval_rules", { rules: [{ ...rule, createdAt: 1, uses: 0 }] });
  const rules = async () => (await chat.request("get_approval_rules", {})).rules.map(({ text }) => text);
  return { chat, rules, ui };
}

describe("rules for a session", () => {
  test("still hold when the agent made room for another one, and after a restart", async () => {
    const { chat, rules, ui } = await allowed(() => "one");
    await chat.park();
    expect(ui().status).toBe("stopped");
    expect(await rules()).toEqual(["bash npm *"]);
    await chat.restart();
    expect(await rules()).toEqual(["bash npm *"]);
  });

  test("do not hold in another session", async () => {
    const ids = ["one", "two"];
    const { chat, rules } = await allowed(() => ids.shift() ?? "three");
    await chat.park();
    expect(await rules()).toEqual([]);
  });
});
