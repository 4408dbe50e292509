import { setTimeout as pause } from "node:timers/promises";
import type { Env } from "../config/paths.ts";
import { uuidv7 } from "../util/ids.ts";
import { demoReply } from "./demo-script.ts";
import type { DemoBlock } from "./demo-turn.ts";
import { type Provider, ProviderError, type ProviderEvent, type ProviderRequest } from "./provider.ts";

const WORD_PAUSE_MS = 25;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The provider behind model `demo/scripted`: a script that streams at the pace of a person reading, calls real tools, and says what it is.
 * `TILLER_DEMO_SPEED=instant` leaves the pauses out.
 */
export function createDemoProvider(env: Env): Provider {
  const wordPauseMs = env.TILLER_DEMO_SPEED === "instant" ? 0 : WORD_PAUSE_MS;
  return { api: "demo", needsKey: false, stream: (request) => streamDemo(request, wordPauseMs) };
}

async function* streamDemo(
  request: ProviderRequest,
  wordPauseMs: number,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const blocks = demoReply(request).filter((block) => request.thinkingLevel !== "off" || block.kind !== "thinking");
  let output = 0;
  yield [{ type: "start" }];
  for (const [index, block] of blocks.entries()) {
    for (const events of eventsOf(block, index)) {
      await waitFor(wordPauseMs, request.signal);
      output += events.reduce((sum, event) => sum + ("delta" in event ? event.delta.length : 0), 0);
      yield events;
    }
  }
  const hasCall = blocks.some((block) => block.kind === "toolCall");
  const input = tokens(JSON.stringify(request.messages).length);
  yield [
    { type: "usage", tokens: { input, output: tokens(output), cacheRead: 0, cacheWrite: 0 } },
    { type: "end", stopReason: hasCall ? "toolUse" : "stop" },
  ];
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    if (ms > 0) await pause(ms, undefined, { signal });
  } catch (cause) {
    throw new ProviderError("aborted", "Request was aborted", { cause });
  }
}

function* eventsOf(block: DemoBlock, index: number): Generator<ProviderEvent[]> {
  if (block.kind === "toolCall") {
    yield [
      { type: "toolcall_start", index, id: `demo_${uuidv7()}`, name: block.name },
      { type: "toolcall_delta", index, delta: JSON.stringify(block.args) },
      { type: "toolcall_end", index },
    ];
    return;
  }
  const { kind } = block;
  yield [kind === "text" ? { type: "text_start", index } : { type: "thinking_start", index }];
  for (const delta of block.text.match(/\S*\s+|\S+/g) ?? []) {
    yield [kind === "text" ? { type: "text_delta", index, delta } : { type: "thinking_delta", index, delta }];
  }
  yield [kind === "text" ? { type: "text_end", index } : { type: "thinking_end", index }];
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
