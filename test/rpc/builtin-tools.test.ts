import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

/** One agent for all tests of this file: each has a folder of its own. */
let model: ScriptedModel;
let agent: AgentUnderTest;
let folder = "";
let folders = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({
    modelUrl: model.url,
    args: ["--no-session", "--tools", "read,write,edit,bash,grep,find,ls"],
  });
});

afterAll(async () => {
  await agent.dispose();
  await model.stop();
});

beforeEach(() => {
  folder = `f${++folders}`;
  mkdirSync(join(agent.cwd, folder));
});

function put(name: string, content: string | Buffer): string {
  writeFileSync(join(agent.cwd, folder, name), content);
  return `${folder}/${name}`;
}

/** The end of a call as a host sees it. */
async function use(name: string, args: Record<string, unknown>): Promise<Frame> {
  const from = agent.frames.length;
  model.enqueue(reply([toolCall(name, args)], { stopReason: "tool_use" }), reply("ok"));
  await agent.run("go");
  return agent.waitFor(({ type }) => type === "tool_execution_end", from);
}

function textOf(end: Frame): string {
  const { content } = asRecord(end.result);
  return Array.isArray(content) ? String(asRecord(content[0]).text) : "";
}

describe("read", () => {
  it("refuses an offset past the end", async () => {
    const end = await use("read", { path: put("a.txt", "one\ntwo\n"), offset: 9 });
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toBe("Offset 9 is beyond end of file (2 lines total)");
  });

  it("names the next offset when it shows a part", async () => {
    const path = put("a.txt", Array.from({ length: 3000 }, (_, i) => `line ${i + 1}\n`).join(""));
    const text = textOf(await use("read", { path }));
    expect(text.endsWith("line 2000\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]")).toBe(true);
    expect(textOf(await use("read", { path, offset: 2001 })).startsWith("line 2001\n")).toBe(true);
  });

  it("returns an image as text and image", async () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { result } = await use("read", { path: put("dot.png", Buffer.from(data, "base64")) });
    expect(asRecord(result).content).toEqual([
      { type: "text", text: "Read image file [image/png]" },
      { type: "image", data, mimeType: "image/png" },
    ]);
  });

  it("shows the first page of a 50 MB file, and reports binary and missing files", async () => {
    const big = put("big.txt", Buffer.alloc(50 * 1024 * 1024, "0123456789abcde\n"));
    const text = textOf(await use("read", { path: big }));
    expect(text).toContain("[Showing lines 1-2000 of 3276800. Use offset=2001 to continue.]");
    rmSync(join(agent.cwd, big));
    const binary = textOf(await use("read", { path: put("a.bin", Buffer.from([0, 1, 2, 255, 254, 0, 7])) }));
    expect(binary).toMatch(/binary/i);
    const missing = await use("read", { path: `${folder}/missing.txt` });
    expect(missing).toMatchObject({ isError: true });
    expect(textOf(missing)).toMatch(/^ENOENT: no such file or directory/);
  });
});

describe("write and edit", () => {
  it("create a file and the folders above it", async () => {
    const end = await use("write", { path: `${folder}/deep/er/a.txt`, content: "Zoë" });
    expect(textOf(end)).toBe(`Successfully wrote 4 bytes to ${folder}/deep/er/a.txt`);
    expect(readFileSync(join(agent.cwd, folder, "deep/er/a.txt"), "utf8")).toBe("Zoë");
  });

  it("refuse to replace a text that occurs twice", async () => {
    const path = put("a.txt", "dup\ndup\n");
    const end = await use("edit", { path, edits: [{ oldText: "dup", newText: "x" }] });
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toContain(
      `Found 2 occurrences of the text in ${path}. The text must be unique. Please provide more context to make it unique.`,
    );
    expect(textOf(end)).toContain("> 1| dup\n");
    expect(readFileSync(join(agent.cwd, path), "utf8")).toBe("dup\ndup\n");
  });

  it("accept one edit at the top level, and keep CRLF and BOM", async () => {
    const path = put("a.txt", "\ufeffone\r\ntwo\r\n");
    const end = await use("edit", { path, oldText: "two", newText: "2\n3" });
    expect(textOf(end)).toBe(`Successfully replaced text in ${path}.`);
    expect(readFileSync(join(agent.cwd, path), "utf8")).toBe("\ufeffone\r\n2\r\n3\r\n");
  });
});

describe("bash", () => {
  it("fails with the output and the exit code", async () => {
    const end = await use("bash", { command: "echo so far; exit 3" });
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toBe("so far\n\nCommand exited with code 3");
    expect(asRecord(asRecord(end?.result).details)).toEqual({ exitCode: 3 });
    expect(end).not.toHaveProperty("stopped");
  });

  it("reports that it reached its time limit", async () => {
    const end = await use("bash", { command: "echo so far; sleep 60", timeout: 0.2 });
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toBe(
      "so far\n\nCommand timed out after 0.2 seconds. If it needs longer, give a larger timeout; start a server in the background with &.",
    );
  });

  it("shows the end of a long output and names the file with the full output", async () => {
    const end = await use("bash", { command: "seq 1 5000" });
    const text = textOf(end);
    expect(text.startsWith("3001\n3002\n")).toBe(true);
    const path = /\[Showing lines 3001-5000 of 5000\. Full output: (.+)\]$/.exec(text)?.[1] ?? "";
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(5001);
    expect(end).toMatchObject({ isError: false, result: { details: { fullOutputPath: path } } });
    rmSync(path);
  });

  it("leaves no background process behind when aborted", async () => {
    const marker = join(agent.cwd, folder, "pid");
    model.enqueue(reply([toolCall("bash", { command: `sleep 300 & echo $! > ${marker}; echo up; wait` })]));
    const from = agent.frames.length;
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type, partialResult }) => {
      return type === "tool_execution_update" && JSON.stringify(partialResult).includes("up");
    }, from);
    const pid = Number(readFileSync(marker, "utf8"));
    await agent.call("abort");
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 2000);
  });
});

describe("grep, find and ls", () => {
  it("report that there is nothing", async () => {
    expect(textOf(await use("grep", { pattern: "zzz", path: folder }))).toBe("No matches found");
    expect(textOf(await use("find", { pattern: "*.zzz", path: folder }))).toBe("No files found matching pattern");
    expect(textOf(await use("ls", { path: folder }))).toBe("(empty directory)");
  });

  it("name the limit that grep reached", async () => {
    put("a.txt", "x\n".repeat(5));
    const end = await use("grep", { pattern: "x", path: folder, limit: 2 });
    expect(textOf(end)).toBe(
      "a.txt:1: x\na.txt:2: x\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]",
    );
    expect(end).toMatchObject({ result: { details: { matchLimitReached: 2 } } });
  });
});
