import { readFile } from "node:fs/promises";
import type { CDPSession } from "playwright-core";
import * as z from "zod";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import type { PatchOp } from "../../webview/protocol/to-panel.ts";
import { assistant, TranscriptHarness } from "../extension/core/transcript/transcript-harness.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../webview/support/open-page.ts";
import type { Row } from "./report.ts";
import { median } from "./samples.ts";

const DELTA_CHARS = 20;
const DELTAS_PER_FRAME = 8;
const LONG_CHARS = 64_000;
const ROUNDS = 3;
const OPEN_MESSAGES = 2_000;
const KEYS = 60;
const ALL_DELTAS = 50_000;
const ALL_CARDS = 3_000;
const ANSWER_CHARS = 40_000;
const MIB = 1024 * 1024;

const PROSE =
  "The parser reads one line at a time and hands each `token` on, with its **place** in the file, to whoever asked for it. ";
const CODE = "```ts\nexport function parse(line: string): Row {\n  return new Row(line.split(','));\n}\n```\n\n";
const PASSAGE = `## A part\n\n${PROSE.repeat(3)}\n\n- one thing\n- another thing, see src/parse.ts:12\n\n${CODE}${PROSE.repeat(2)}\n\n`;

/** The chat page in a browser: what streaming costs, how it feels to type meanwhile, whether it holds still, what it keeps. */
export async function* page(): AsyncGenerator<Row> {
  const lab = await startPageLab();
  try {
    for (const part of [streaming, typing, reading, memory]) yield* await part(lab);
    yield traffic();
  } finally {
    await lab.close();
  }
}

/**
 * The time of the page's own thread on the processor, so that other programs do not count. A frame's script is the check of its message,
 * the drawing, and the bench's own handing over. What the page puts off until it is idle (code is colored, names of files become
 * links) is held back here and measured behind the last frame.
 */
async function streaming(lab: PageLab): Promise<Row[]> {
  const pieces = inPieces(passages(LONG_CHARS), DELTA_CHARS * DELTAS_PER_FRAME);
  await streamOnce(lab, pieces);
  const rounds: FrameCost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await streamOnce(lab, pieces));
  const middle = (part: keyof FrameCost) => median(rounds.map((round) => round[part]));
  const unit = "ms" as const;
  return [
    {
      what: "page, 64,000 characters, 8 deltas a frame: script and layout a frame",
      unit,
      measured: middle("script") + middle("layout") + middle("style"),
      budget: 1.5,
    },
    { what: "  its script", unit, measured: middle("script") },
    { what: "  its layout", unit, measured: middle("layout") },
    { what: "  its style", unit, measured: middle("style") },
    { what: "  everything of the page's thread, painting too", unit, measured: middle("task") },
    { what: "  what is put off until the page is idle", unit, measured: middle("idle") },
  ];
}

/** In ms a frame. */
type FrameCost = Record<"script" | "layout" | "style" | "task" | "idle", number>;

async function streamOnce(lab: PageLab, pieces: string[]): Promise<FrameCost> {
  return withPage(lab, async (panel, session) => {
    await panel.snapshot([growing("s")], { status: "running" });
    await panel.page.evaluate("window.held = []; window.requestIdleCallback = (job) => held.push(job)");
    const before = await metrics(session);
    await panel.stream("s", pieces);
    const after = await metrics(session);
    // In a task of the page's own: what the tools evaluate is not counted as its script.
    await panel.page.evaluate(
      "new Promise((done) => setTimeout(() => { while (held.length > 0) held.shift()({ timeRemaining: () => 10, didTimeout: false }); done(); }))",
    );
    await panel.settle();
    const end = await metrics(session);
    const perFrame = (name: string, from = before, to = after) =>
      (((to[name] ?? 0) - (from[name] ?? 0)) * 1_000) / pieces.length;
    return {
      script: perFrame("ScriptDuration"),
      layout: perFrame("LayoutDuration"),
      style: perFrame("RecalcStyleDuration"),
      task: perFrame("TaskDuration"),
      idle: perFrame("ScriptDuration", after, end),
    };
  });
}

/** Keys are pressed in the composer while a long conversation goes on. */
async function typing(lab: PageLab): Promise<Row[]> {
  return withPage(lab, async (panel) => {
    const start = performance.now();
    await panel.snapshot([...conversation(OPEN_MESSAGES), growing("s")], { status: "running" });
    const openMs = performance.now() - start;
    // Not by its role: to find one, the browser would have to work out the looks of everything, also far from the screen.
    await panel.page.evaluate("document.querySelector('.composer vscode-text-area').control.focus()");
    await inPage(panel.page, "watchKeys");
    // 100 deltas a second, as the host joins them: one patch a frame.
    const streaming = panel.stream("s", inPieces(passages(KEYS * 8 * 32), 32));
    for (let key = 0; key < KEYS; key += 1) await panel.page.keyboard.press("x", { delay: 20 });
    const times = z.array(z.number()).parse(await panel.page.evaluate("testSide.keyTimes"));
    await streaming;
    return [
      { what: "page, 2,000 messages: until they are drawn", unit: "ms", measured: openMs },
      {
        what: "page, 2,000 messages and 100 deltas a second: key to paint, 95 of 100",
        unit: "ms",
        measured: times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY,
        budget: 50,
      },
    ];
  });
}

/** Somebody has scrolled up and reads while the conversation goes on. */
async function reading(lab: PageLab): Promise<Row[]> {
  return withPage(lab, async (panel) => {
    await panel.snapshot([...conversation(100), growing("s")], { status: "running" });
    await panel.page.getByRole("log", { name: "Chat" }).hover();
    await panel.page.mouse.wheel(0, -3_000);
    const top = async () => z.number().parse(await inPage(panel.page, "topOf", "m80"));
    let before = Number.NaN;
    for (let last = await top(); last !== before; last = await top()) {
      before = last;
      for (let frame = 0; frame < 8; frame += 1) await panel.settle();
    }
    let moved = 0;
    for (let card = 0; card < 3; card += 1) {
      const ops: PatchOp[] = [{ op: "upsert", item: toolCard(`late${card}`) }];
      await panel.patch(ops);
      for (const text of inPieces(passages(6_600), 160)) await panel.patch([{ op: "append", id: "s", text }]);
      moved = Math.max(moved, Math.abs((await top()) - before));
    }
    return [
      { what: "page, read while 1,000 deltas and 3 cards arrive: moved by", unit: "px", measured: moved, budget: 0 },
    ];
  });
}

async function memory(lab: PageLab): Promise<Row[]> {
  return withPage(lab, async (panel, session) => {
    await panel.snapshot([], { status: "running" });
    await session.send("HeapProfiler.collectGarbage");
    const empty = await rendererBytes(panel);
    const answers = 50;
    for (let answer = 0; answer < answers; answer += 1) {
      const cards = Array.from({ length: ALL_CARDS / answers }, (_, card) => toolCard(`c${answer}-${card}`));
      await panel.patch([...cards, growing(`a${answer}`)].map((item) => ({ op: "upsert" as const, item })));
      const text = passages((ALL_DELTAS / answers) * DELTA_CHARS);
      await panel.stream(`a${answer}`, inPieces(text, DELTA_CHARS * 40));
    }
    await session.send("HeapProfiler.collectGarbage");
    const { JSHeapUsedSize: heap = 0 } = await metrics(session);
    const whole = await rendererBytes(panel);
    return [
      {
        what: "page, after 50,000 deltas and 3,000 cards: memory of its process",
        unit: "bytes",
        measured: whole,
        budget: 250 * MIB,
      },
      { what: "  of it before the conversation", unit: "bytes", measured: empty },
      { what: "  its script's heap", unit: "bytes", measured: heap },
    ];
  });
}

/** The messages of the host to the page for one response, as JSON. */
function traffic(): Row {
  const chat = new TranscriptHarness();
  chat.feed.setVisible(true);
  chat.sent.length = 0;
  const message = assistant({});
  chat.dispatch({ type: "message_start", message });
  const deltas = inPieces(passages(ANSWER_CHARS), DELTA_CHARS);
  deltas.forEach((delta, index) => {
    chat.dispatch({ type: "message_update", assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta } });
    if (index % DELTAS_PER_FRAME === 0) chat.passFrame();
  });
  chat.dispatch({
    type: "message_end",
    message: { ...message, content: [{ type: "text", text: passages(ANSWER_CHARS) }] },
  });
  chat.passFrame();
  return {
    what: "host to page, an answer of 40,000 characters, 8 deltas of 20 a frame",
    unit: "bytes",
    measured: JSON.stringify(chat.sent).length,
    floor: ANSWER_CHARS,
    budget: 2,
  };
}

async function withPage<T>(lab: PageLab, work: (panel: OpenPage, session: CDPSession) => Promise<T>): Promise<T> {
  const panel = await lab.open({ width: 400, height: 800 });
  try {
    const session = await panel.page.context().newCDPSession(panel.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return await work(panel, session);
  } finally {
    await panel.close();
  }
}

async function metrics(session: CDPSession): Promise<Record<string, number>> {
  const { metrics: list } = await session.send("Performance.getMetrics");
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

/** The memory of the page's process, which is the largest of the browser's page processes. */
async function rendererBytes(panel: OpenPage): Promise<number> {
  const browser = await panel.page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await browser?.send("SystemInfo.getProcessInfo")) ?? {};
  await browser?.detach();
  const sizes = await Promise.all(
    processInfo.filter(({ type }) => type === "renderer").map(({ id }) => residentBytes(id)),
  );
  return Math.max(0, ...sizes);
}

/** Its own memory and its part of what processes share. Zero where the system does not tell. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function conversation(messages: number): TranscriptItem[] {
  return Array.from({ length: messages }, (_, index): TranscriptItem => {
    const id = `m${index}`;
    if (index % 4 === 0) return { id, kind: "prompt", text: `What about part ${index}?`, images: [] };
    if (index % 4 === 1) return toolCard(id);
    return { id, kind: "text", text: PASSAGE, isStreaming: false };
  });
}

function toolCard(id: string): TranscriptItem {
  return {
    id,
    kind: "tool",
    toolName: "bash",
    state: "done",
    intent: "npm test -- parse",
    input: "npm test -- parse",
    inputLanguage: "bash",
    output: "ok parse.test.ts\n".repeat(60),
    isOutputCut: false,
    images: [],
    durationMs: 1_200,
  };
}

function growing(id: string): TranscriptItem {
  return { id, kind: "text", text: "", isStreaming: true };
}

function passages(chars: number): string {
  return PASSAGE.repeat(Math.ceil(chars / PASSAGE.length)).slice(0, chars);
}

function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
