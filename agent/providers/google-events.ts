import { crypto } from "../util/late-node.ts";
import { declined, finishFailure, readGoogleFailure } from "./google-failure.ts";
import { isSearchPart, SearchNotes } from "./google-search.ts";
import { type Signatures, storeSignatures } from "./google-signatures.ts";
import { type Candidate, Chunk, type Part, type Usage } from "./google-wire.ts";
import { parseEvent, wrongShape } from "./parse-event.ts";
import type { ProviderError, ProviderEvent, TokenCounts } from "./provider.ts";
import { addDelta, type WireEvents } from "./reply-stream.ts";
import { eventFailure } from "./request-errors.ts";
import type { ToolNames } from "./tool-names.ts";

const DONE = "[DONE]";

interface OpenBlock {
  readonly kind: "text" | "thinking" | "toolcall";
  readonly index: number;
  length: number;
  readonly signed: [from: number, to: number, signature: string][];
  readonly behind: string[];
}

/** Converts the pieces of one streamed response into events. Consecutive parts of one kind form a block, and each call is a block. */
export class GoogleEvents implements WireEvents {
  readonly #names: ToolNames;
  readonly #ids = new Set<string>();
  #block: OpenBlock | undefined;
  #nextIndex = 0;
  readonly #search = new SearchNotes(() => this.#takeIndex());
  #hasCalls = false;
  #isCounted = false;
  #finish: string | undefined;
  failure: ProviderError | undefined;
  hasBegun = false;
  hasEnded = false;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  read(data: string, out: ProviderEvent[]): void {
    if (this.failure !== undefined || data.trim() === DONE) return;
    const json = parseEvent(data);
    const failure = readGoogleFailure(json);
    if (failure !== undefined) this.failure = eventFailure(failure);
    else this.#apply(readChunk(json, data), out);
  }

  /** Completes the response. Several pieces may have a finish reason, so only the end of the connection completes it. */
  close(out: ProviderEvent[]): void {
    if (this.#finish === undefined || this.failure !== undefined) return;
    this.#end(out);
    this.#search.finish(out);
    this.hasEnded = true;
    const isCut = this.#finish === "MAX_TOKENS";
    out.push({ type: "end", stopReason: isCut ? "length" : this.#hasCalls ? "toolUse" : "stop" });
  }

  #apply({ candidates, promptFeedback, usageMetadata, responseId, modelVersion }: Chunk, out: ProviderEvent[]): void {
    const candidate = candidates?.[0];
    const blocked = promptFeedback?.blockReason;
    // JSON that doesn't come from this API has none of these fields.
    if (!this.hasBegun && (candidate || blocked || usageMetadata || responseId)) {
      this.hasBegun = true;
      out.push({ type: "start", responseId: responseId ?? undefined, responseModel: modelVersion ?? undefined });
    }
    if (usageMetadata) this.#count(usageMetadata, candidate !== undefined && !candidate.finishReason, out);
    if (candidate) this.#read(candidate, out);
    if (blocked) this.failure = declined(blocked, promptFeedback.blockReasonMessage);
  }

  /** Reports token counts. Every piece has some, but events in the middle of a text would keep its deltas from being joined. */
  #count(usage: Usage, isInside: boolean, out: ProviderEvent[]): void {
    if (this.#isCounted && isInside) return;
    this.#isCounted = true;
    out.push({ type: "usage", tokens: countTokens(usage) });
  }

  #read({ content, finishReason, finishMessage, groundingMetadata }: Candidate, out: ProviderEvent[]): void {
    for (const { web } of groundingMetadata?.groundingChunks ?? []) this.#search.rests(web);
    for (const part of content?.parts ?? []) this.#add(part, out);
    if (!finishReason) return;
    this.#finish = finishReason;
    this.failure = finishFailure(finishReason, finishMessage);
  }

  #add(part: Part, out: ProviderEvent[]): void {
    if (isSearchPart(part)) {
      this.#end(out);
      this.#search.take(part);
      return;
    }
    const { text, thought, thoughtSignature: signature, functionCall } = part;
    if (functionCall) {
      this.#call(functionCall, signature, out);
    } else if (!text && !signature) {
      return;
    } else if (!text && !thought && signature && this.#block !== undefined) {
      this.#block.behind.push(signature);
    } else {
      this.#grow(thought ? "thinking" : "text", text ?? "", signature, out);
    }
  }

  #grow(kind: "text" | "thinking", text: string, signature: string | null | undefined, out: ProviderEvent[]): void {
    const isSame = this.#block?.kind === kind && this.#block.behind.length === 0;
    const block = isSame && this.#block ? this.#block : this.#open(kind, out);
    if (text !== "") addDelta(out, { type: `${kind}_delta`, index: block.index, delta: text });
    if (signature) block.signed.push([block.length, block.length + text.length, signature]);
    block.length += text.length;
  }

  #open(kind: OpenBlock["kind"], out: ProviderEvent[]): OpenBlock {
    this.#end(out);
    this.#search.end(out);
    const block: OpenBlock = { kind, index: this.#takeIndex(), length: 0, signed: [], behind: [] };
    this.#block = block;
    if (kind !== "toolcall") out.push({ type: `${kind}_start`, index: block.index });
    return block;
  }

  #takeIndex(): number {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    return index;
  }

  #call(
    { id, name, args }: NonNullable<Part["functionCall"]>,
    signature: string | null | undefined,
    out: ProviderEvent[],
  ): void {
    const block = this.#open("toolcall", out);
    const { index } = block;
    this.#hasCalls = true;
    out.push({ type: "toolcall_start", index, id: this.#ownId(id), name: this.#names.fromWire(name) });
    addDelta(out, { type: "toolcall_delta", index, delta: JSON.stringify(args ?? {}) });
    if (signature) block.signed.push([0, 0, signature]);
  }

  /** Returns an ID that is unique in the session, because hosts store calls by their IDs. */
  #ownId(id: string | null | undefined): string {
    const own = id && !this.#ids.has(id) ? id : `call_${crypto().randomUUID().replaceAll("-", "")}`;
    this.#ids.add(own);
    return own;
  }

  /** Ends the open block. Its signatures may follow its last piece, so it stays open until the next block begins. */
  #end(out: ProviderEvent[]): void {
    const block = this.#block;
    if (block === undefined) return;
    this.#block = undefined;
    out.push({ type: `${block.kind}_end`, index: block.index, signature: signatureOf(block) });
  }
}

function signatureOf({ signed, behind, length }: OpenBlock): string | undefined {
  const signatures: Signatures = { signed, behind };
  return storeSignatures(signatures, length);
}

/** @throws ProviderError when the piece is malformed. */
function readChunk(json: unknown, data: string): Chunk {
  const chunk = Chunk.safeParse(json);
  if (chunk.success) return chunk.data;
  throw wrongShape(data, chunk.error);
}

/** Returns the token counts. Cached tokens are separate from input, and thinking counts as output. */
function countTokens(usage: Usage): TokenCounts {
  const cacheRead = usage.cachedContentTokenCount ?? 0;
  const thoughts = usage.thoughtsTokenCount ?? 0;
  const prompt = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  return {
    input: Math.max(0, prompt - cacheRead),
    output: (usage.candidatesTokenCount ?? 0) + thoughts,
    cacheRead,
    cacheWrite: 0,
    ...(thoughts === 0 ? {} : { reasoning: thoughts }),
  };
}
