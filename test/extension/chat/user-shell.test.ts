import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import { readShellCommand } from "../../../extension/chat/user-shell.ts";
import { openChat } from "../../support/open-chat.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

let folder: string;
let chat: Chat;
let opened: ReturnType<typeof openChat>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-shell-"));
  opened = openChat(folder, {
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--no-session", "--model", "demo/scripted"],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: folder },
    }),
  });
  chat = opened.chat;
});
afterEach(async () => {
  await chat.dispose();
  await rm(folder, { recursive: true, force: true });
});
const cards = () => opened.items().flatMap((item) => (item.kind === "tool" ? [item] : []));

describe("readShellCommand", () => {
  test("takes the text after one or two marks, over several lines", () => {
    expect(readShellCommand("!ls -l")).toEqual({ command: "ls -l", isExcluded: false });
    expect(readShellCommand("!! ls\npwd\n")).toEqual({ command: "ls\npwd", isExcluded: true });
  });

  test("leaves other texts alone", () => {
    for (const text of ["ls", " !ls", "!", "!!", "!!! wow", "/ls"]) expect(readShellCommand(text)).toBe(undefined);
  });
});

describe("a shell command of the user", () => {
  test("is shown as a card with its output while it runs, and with its result", async () => {
    const go = join(folder, "go");
    const command = `echo one; until [ -e '${go}' ]; do sleep 0.02; done; exit 3`;
    const running = chat.prompt({ text: `!${command}`, delivery: "steer" });
    await expect.poll(cards).toMatchObject([{ state: "running", canStop: true, input: command }]);
    await writeFile(go, "");
    await running;
    expect(cards()).toMatchObject([{ state: "failed", exitCode: 3, output: "one\n" }]);
  });

  test("can be stopped by the user, and another one does not wait for it", async () => {
    const running = chat.prompt({ text: "!echo begun; sleep 60", delivery: "steer" });
    await expect.poll(() => cards()[0]?.output).toBe("begun\n");
    await chat.prompt({ text: "!pwd", delivery: "steer" });
    expect(opened.seen.drafts).toEqual(["!pwd"]);
    await chat.shell.stop();
    await running;
    expect(cards()).toMatchObject([{ state: "cancelled" }]);
  });

  test("is hidden from the model by two marks", async () => {
    await chat.prompt({ text: "!!echo secret", delivery: "steer" });
    expect(cards()).toMatchObject([{ state: "done", intent: "echo secret (hidden from the model)" }]);
    const { messages } = await chat.request("get_messages", {});
    expect(messages).toMatchObject([{ role: "bashExecution", command: "echo secret", excludeFromContext: true }]);
  });

  test("ends as cancelled when the agent ends", async () => {
    const running = chat.prompt({ text: "!echo begun; sleep 60", delivery: "steer" });
    await expect.poll(() => cards()[0]?.output).toBe("begun\n");
    await chat.park();
    await running;
    expect(cards()).toMatchObject([{ state: "cancelled", output: "begun\n" }]);
  });
});
