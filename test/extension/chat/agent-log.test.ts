import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openChat } from "../../support/open-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "tiller-log-"));
const lines: string[] = [];
const write = (text: string) => lines.push(text);
const log = { debug: write, info: write, warn: write, error: write };

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the log contains processes, problems and a crash, and nothing of the conversation", async () => {
  const { chat, ui } = openChat(folder, { log });
  await chat.prompt({ text: "a walnut for the king", delivery: "steer" });
  await expect.poll(() => ui().status).toBe("idle");
  await chat.prompt({ text: 'tool walnut_tool {"walnut":"king"}', delivery: "steer" });
  await chat.prompt({ text: "garble walnut", delivery: "steer" });
  await expect.poll(() => lines).toContain("agent: unreadableLine no JSON");
  await chat.prompt({ text: "die", delivery: "steer" });
  await expect.poll(() => ui().status).toBe("crashed");
  await chat.dispose();
  expect(lines).toContain("agent: ready");
  expect(lines).toContain("agent: The agent exited with code 7.");
  expect(lines).toContain("agent stderr: Error: out of luck");
  expect(lines.filter((line) => /walnut|king/.test(line))).toEqual([]);
});
