import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, type ScriptedBlock, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, type Frame } from "../support/spawn-agent.ts";

const FOLDER = fileURLToPath(new URL("../transcripts", import.meta.url));

/** With this set the frames are written down instead of compared: read the difference before you keep it. */
const IS_RECORDING = process.env.TILLER_RECORD === "1";

const Block = z.union([
  z.object({ text: z.string() }),
  z.object({ thinking: z.string() }),
  z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
]);
/**
 * A line of a transcript: files of the workspace, what the model will say, a command with the type of the last frame that it leads to, or a
 * frame that must come.
 */
const Line = z.union([
  z.object({ files: z.record(z.string(), z.string()) }),
  z.object({ model: z.array(Block) }),
  z.object({ ">": z.looseObject({ type: z.string() }), until: z.string() }),
  z.object({ "<": z.looseObject({ type: z.string() }) }),
]);
type Line = z.infer<typeof Line>;

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl")))("transcript %s", (name) => {
  it("replays event by event", async () => {
    const path = join(FOLDER, name);
    const lines = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => Line.parse(JSON.parse(line)));
    const played = await play(lines);
    if (IS_RECORDING) writeFileSync(path, played.map((line) => `${JSON.stringify(line)}\n`).join(""));
    else expect(played).toEqual(lines);
  });
});

/** Plays the commands. @returns the lines with the frames that really came, each behind the command that it came after. */
async function play(lines: readonly Line[]): Promise<Line[]> {
  const cwd = mkdtempSync(join(tmpdir(), "tiller-transcript-"));
  const model = await ScriptedModel.start();
  const played: Line[] = [];
  for (const line of lines) {
    if ("files" in line) writeFiles(cwd, line.files);
    if ("model" in line) model.enqueue(toReply(line.model));
  }
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd, args: ["--no-session", "--rpc-stream", "delta"] });
  try {
    const names = new Map<string, string>();
    let seen = 0;
    for (const line of lines) {
      if ("<" in line) continue;
      played.push(line);
      if (!(">" in line)) continue;
      const from = seen;
      agent.send(withRealIds(line[">"], names));
      const last = await agent.waitFor(({ type }) => type === line.until, from);
      const end = agent.frames.indexOf(last) + 1;
      for (const frame of agent.frames.slice(seen, end)) played.push({ "<": normalized(frame, names, cwd) });
      seen = end;
    }
    return played;
  } finally {
    await agent.dispose();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
}

function toReply(blocks: readonly z.infer<typeof Block>[]) {
  const scripted = blocks.map((block, index): ScriptedBlock => {
    if ("text" in block) return text(block.text);
    if ("thinking" in block) return thinking(block.thinking);
    return toolCall(block.tool, block.args, { id: `toolu_${index}` });
  });
  const usesTools = blocks.some((block) => "tool" in block);
  return reply(scripted, { stopReason: usesTools ? "tool_use" : "end_turn" });
}

function writeFiles(cwd: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(cwd, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids become names in the order in which they turn up, times become zero, the folder and the version become words. */
function normalized(frame: Frame, names: Map<string, string>, cwd: string): Frame {
  const text = JSON.stringify(frame, (key, value: unknown) => {
    if (key === "timestamp" || key === "durationMs") return 0;
    if (key === "version") return "<version>";
    if (key === "responseId") return "<response>";
    if (key === "thinkingSignature") return "<signature>";
    if (typeof value !== "string" || !UUID.test(value)) return value;
    if (!names.has(value)) names.set(value, `<id ${names.size + 1}>`);
    return names.get(value);
  });
  return z.looseObject({ type: z.string() }).parse(JSON.parse(text.replaceAll(cwd, "<cwd>")));
}

function withRealIds(command: Record<string, unknown>, names: ReadonlyMap<string, string>): object {
  const real = new Map([...names].map(([id, name]) => [name, id]));
  return Object.fromEntries(
    Object.entries(command).map(([key, value]) => [
      key,
      typeof value === "string" ? (real.get(value) ?? value) : value,
    ]),
  );
}
