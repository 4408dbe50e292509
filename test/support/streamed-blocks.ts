import { isDeepStrictEqual } from "node:util";
import { asRecord, type Frame } from "./spawn-agent.ts";

interface StreamedBlock {
  kind: string;
  text: string;
  isOpen: boolean;
}

const CONTENT_FIELD: Readonly<Record<string, string>> = { text: "text", thinking: "thinking" };

/** The blocks of one streaming answer, put together from its updates as a host would. Problems are returned as texts. */
export class StreamedBlocks {
  readonly #blocks: StreamedBlock[] = [];

  /** Takes a `message_update`. */
  add(frame: Frame): string | undefined {
    const step = asRecord(frame.assistantMessageEvent);
    const [, kind = "", phase] = /^(text|thinking|toolcall)_(start|delta|end)$/.exec(String(step.type)) ?? [];
    if (frame.message !== undefined && !isDeepStrictEqual(frame.message, step.partial)) {
      return "message and partial differ";
    }
    const index = Number(step.contentIndex);
    if (phase === "start") {
      if (index !== this.#blocks.length) return "blocks do not open in rising order without gaps";
      this.#blocks.push({ kind, text: "", isOpen: true });
      return undefined;
    }
    const block = this.#blocks[index];
    if (block === undefined || !block.isOpen || block.kind !== kind) return "an update of a block that is not open";
    if (phase === "delta") {
      block.text += String(step.delta);
      return undefined;
    }
    if (phase !== "end") return "an update of an unknown kind";
    block.isOpen = false;
    const isWhole = kind === "toolcall" || step.content === block.text;
    return isWhole ? undefined : "the deltas of a block are not its content";
  }

  /** Compares with the final message. One that broke off may have lost what was not finished. */
  compare({ content, stopReason }: Record<string, unknown>): string | undefined {
    if (stopReason === "error" || stopReason === "aborted") return undefined;
    if (!Array.isArray(content)) return "a message without content";
    if (this.#blocks.some(({ isOpen }) => isOpen)) return "a complete message with an open block";
    if (this.#blocks.slice(content.length).some(({ text }) => text !== "")) return "a block is missing at the end";
    for (const [index, value] of content.entries()) {
      const block = this.#blocks[index];
      const final = asRecord(value);
      if (block === undefined) return "a block that was never streamed";
      if (block.kind !== String(final.type).toLowerCase()) return "a block of another kind than was streamed";
      const field = CONTENT_FIELD[block.kind];
      if (field !== undefined && final[field] !== block.text) return "a block with other text than was streamed";
    }
    return undefined;
  }
}
