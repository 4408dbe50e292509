import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ChatStart } from "../../../extension/chat/chat-session.ts";
import { forkAt } from "../../../extension/chat/fork-chat.ts";
import { goTo } from "../../../extension/chat/go-to.ts";
import { resendEdited } from "../../../extension/chat/resend.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

/** A chat with the built agent in which two things were said and answered. */
async function twoTurns(start: ChatStart, ...args: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tiller-fork-"));
  const model = await ScriptedModel.start();
  model.enqueue(reply("first answer"), reply("second answer"));
  const opened = openChat(folder, {
    start,
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--permission-mode", "confirm", ...args],
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: folder,
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: model.url,
      },
    }),
  });
  onTestFinished(async () => {
    await opened.chat.dispose();
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const said = () =>
    opened.items().flatMap((item) => (item.kind === "prompt" || item.kind === "text" ? [item.text] : []));
  const shows = async (...texts: string[]) => {
    await expect.poll(said, { timeout: 15_000 }).toEqual(texts);
    await expect.poll(() => opened.ui().status, { timeout: 15_000 }).toBe("idle");
  };
  await opened.chat.prompt({ text: "one", delivery: "steer" });
  await shows("one", "first answer");
  await opened.chat.prompt({ text: "two", delivery: "steer" });
  await shows("one", "first answer", "two", "second answer");
  const idOf = (text: string) =>
    opened.items().find((item) => (item.kind === "prompt" || item.kind === "text") && item.text === text)?.id ?? "";
  return { ...opened, model, shows, idOf };
}

describe("a fork from an item", () => {
  test("of the user continues before it in a new session, with its text in the composer", async () => {
    const { chat, seen, shows, idOf } = await twoTurns({ key: "s1" });
    await forkAt(chat, idOf("two"));
    await shows("one", "first answer");
    expect(seen.drafts).toEqual(["two"]);
    expect(new Set(seen.sessions).size).toBe(2);
  });

  test("of an answer keeps the answer, and leaves the composer unchanged", async () => {
    const { chat, seen, shows, idOf } = await twoTurns({ key: "s1" });
    await forkAt(chat, idOf("first answer"));
    await shows("one", "first answer");
    expect(seen.drafts).toEqual([]);
    expect(new Set(seen.sessions).size).toBe(2);
  });

  test("of the last answer copies everything", async () => {
    const { chat, seen, shows, idOf } = await twoTurns({ key: "s1" });
    await forkAt(chat, idOf("second answer"));
    await shows("one", "first answer", "two", "second answer");
    expect(new Set(seen.sessions).size).toBe(2);
  });

  test("is numbered after the session that it continues, and so is an edited message", async () => {
    const { chat, model, shows, idOf } = await twoTurns({ key: "s1" });
    await forkAt(chat, idOf("second answer"));
    await expect.poll(() => chat.session.title).toBe("one (2)");
    await shows("one", "first answer", "two", "second answer");
    model.enqueue(reply("third answer"));
    await resendEdited(chat, idOf("two"), { text: "three", delivery: "steer" });
    await shows("one", "first answer", "three", "third answer");
    await expect.poll(() => chat.session.title).toBe("one (3)");
    const { sessions } = await chat.request("list_sessions", {});
    expect(sessions.map(({ name }) => name).sort()).toEqual(["one (2)", "one (3)", undefined]);
  });

  test("before the first message keeps the title of what is said instead", async () => {
    const { chat, model, shows, idOf } = await twoTurns({ key: "s1" });
    model.enqueue(reply("another answer"), reply("once more"));
    await resendEdited(chat, idOf("one"), { text: "something else", delivery: "steer" });
    await shows("something else", "another answer");
    expect(chat.session.title).toBe("something else");
    await resendEdited(chat, idOf("something else"), { text: "one", delivery: "steer" });
    await shows("one", "once more");
    await expect.poll(() => chat.session.title).toBe("one (2)");
  });

  test("that no longer exists is refused", async () => {
    const { chat } = await twoTurns({ key: "s1" });
    await expect(forkAt(chat, "gone")).rejects.toThrow("no longer in the session");
  });

  test("is another branch of the same session in a temporary chat, so that nothing is lost", async () => {
    const { chat, seen, shows, idOf, model } = await twoTurns({ key: "s1", isTemporary: true }, "--no-session");
    const { leafId } = await chat.request("get_entries", {});
    await forkAt(chat, idOf("two"));
    await shows("one", "first answer");
    expect(seen.drafts).toEqual(["two"]);
    await goTo(chat, leafId ?? "");
    await shows("one", "first answer", "two", "second answer");
    model.enqueue(reply("third answer"));
    await resendEdited(chat, idOf("two"), { text: "three", delivery: "steer" });
    await shows("one", "first answer", "three", "third answer");
    await goTo(chat, leafId ?? "");
    await shows("one", "first answer", "two", "second answer");
  });
});

describe("a move within a session", () => {
  test("shows the other branch and puts its message into the composer", async () => {
    const { chat, seen, shows } = await twoTurns({ key: "s1" });
    const { messages } = await chat.request("get_fork_messages", {});
    expect(await goTo(chat, messages[1]?.entryId ?? "")).toBe(true);
    await shows("one", "first answer");
    expect(seen.drafts).toEqual(["two"]);
    expect(new Set(seen.sessions).size).toBe(1);
  });
});
