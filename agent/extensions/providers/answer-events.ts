import * as z from "zod";
import type { ProviderEvent } from "../../providers/provider.ts";
import { uuidv7 } from "../../util/ids.ts";
import { answerFailure } from "./answer-failure.ts";

const MAX_BLOCKS = 10_000;

const text = z.string().catch("");
const signature = z.string().optional().catch(undefined);

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text, textSignature: signature }),
  z.object({
    type: z.literal("thinking"),
    thinking: text,
    thinkingSignature: signature,
    redacted: z.boolean().optional().catch(undefined),
  }),
  z.object({
    type: z.literal("toolCall"),
    id: z.string(),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    thoughtSignature: signature,
  }),
]);
type Block = z.infer<typeof Block>;

/** The message so far: read only where a block begins or ends, for it grows with the answer. */
const Partial = z
  .object({ content: z.array(z.unknown()).catch([]), responseId: signature })
  .optional()
  .catch(undefined);

const contentIndex = z.int().nonnegative();
const count = z.number().nonnegative().transform(Math.round).catch(0);
const Tokens = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: z.number().transform(Math.round).optional().catch(undefined),
});
const Message = z.object({ content: z.array(Block), usage: Tokens.optional().catch(undefined) });
const Failed = z.object({ errorMessage: text }).catch({ errorMessage: "" });

const GivenEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), partial: Partial }),
  z.object({ type: z.enum(["text_start", "thinking_start", "toolcall_start"]), contentIndex, partial: Partial }),
  z.object({ type: z.enum(["text_delta", "thinking_delta", "toolcall_delta"]), contentIndex, delta: z.string() }),
  z.object({
    type: z.enum(["text_end", "thinking_end"]),
    contentIndex,
    content: z.string().optional(),
    partial: Partial,
  }),
  z.object({ type: z.literal("toolcall_end"), contentIndex, toolCall: z.unknown().optional(), partial: Partial }),
  z.object({ type: z.literal("done"), reason: z.enum(["stop", "length", "toolUse"]), message: Message }),
  z.object({ type: z.literal("error"), reason: z.string().catch("error"), error: Failed }),
]);
type GivenEvent = z.infer<typeof GivenEvent>;
const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
  "start",
  ...["text", "thinking", "toolcall"].flatMap((kind) => [`${kind}_start`, `${kind}_delta`, `${kind}_end`]),
  "done",
  "error",
]);

type Kind = "text" | "thinking" | "toolcall";

interface OpenBlock {
  kind: Kind;
  /** Position in our message; undefined until our side knows of it: a tool call begins there when its name is known. */
  index: number | undefined;
  /** The part of a tool call that arrived before its name. */
  held: string;
  isOver: boolean;
}

/**
 * Converts the stream of an extension's own provider to our events. Blocks may be missing from the stream if the final
 * message has them; an impossible order is a failure.
 */
export class AnswerEvents {
  readonly #blocks = new Map<number, OpenBlock>();
  #nextIndex = 0;
  #hasEnded = false;

  /** True if the last event came. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Reads one event; ignores unknown kinds. @throws ProviderError when it is invalid, comes in the wrong order, or
   * reports a failure.
   */
  read(given: unknown): ProviderEvent[] {
    if (typeof given === "object" && given !== null && !KNOWN_TYPES.has(Reflect.get(given, "type"))) return [];
    const event = GivenEvent.safeParse(given);
    if (!event.success) throw answerFailure(`The provider sent an event that can't be read: ${shortly(given)}`);
    return this.#translate(event.data);
  }

  #translate(event: GivenEvent): ProviderEvent[] {
    switch (event.type) {
      case "start":
        return [{ type: "start", responseId: event.partial?.responseId }];
      case "text_start":
        return this.#begin("text", event);
      case "thinking_start":
        return this.#begin("thinking", event);
      case "toolcall_start":
        return this.#begin("toolcall", event);
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        return this.#delta(event.type, event.contentIndex, event.delta);
      case "text_end":
      case "thinking_end":
        return this.#end(event.contentIndex, event.type, blockAt(event), event.content);
      case "toolcall_end":
        return this.#end(event.contentIndex, event.type, Block.safeParse(event.toolCall).data);
      case "done":
        this.#hasEnded = true;
        return this.#finish(event.message, event.reason);
      case "error":
        throw answerFailure(event.error.errorMessage || `The provider stopped: ${event.reason}.`);
    }
  }

  #begin(kind: Kind, event: Placed): ProviderEvent[] {
    return this.#open(kind, event.contentIndex, blockAt(event));
  }

  #open(kind: Kind, at: number, block: Block | undefined): ProviderEvent[] {
    if (this.#blocks.has(at)) throw answerFailure(`The provider began block ${at} twice.`);
    if (this.#blocks.size >= MAX_BLOCKS) throw answerFailure(`The provider sent more than ${MAX_BLOCKS} blocks.`);
    const open: OpenBlock = { kind, index: undefined, held: "", isOver: false };
    this.#blocks.set(at, open);
    return this.#tell(open, block);
  }

  /** Reports a block as soon as enough of it is known. */
  #tell(open: OpenBlock, block: Block | undefined): ProviderEvent[] {
    if (open.kind === "toolcall" && (block?.type !== "toolCall" || block.name === "")) return [];
    const index = this.#nextIndex++;
    open.index = index;
    if (open.kind === "text") return [{ type: "text_start", index }];
    if (block?.type !== "toolCall") {
      return [{ type: "thinking_start", index, redacted: block?.type === "thinking" ? block.redacted : undefined }];
    }
    const { id, name } = block;
    const start: ProviderEvent = { type: "toolcall_start", index, id: id || `call_${uuidv7()}`, name };
    return open.held === "" ? [start] : [start, { type: "toolcall_delta", index, delta: open.held }];
  }

  #delta(type: "text_delta" | "thinking_delta" | "toolcall_delta", at: number, delta: string): ProviderEvent[] {
    const open = this.#openAt(at, type);
    if (open.index === undefined) open.held += delta;
    return open.index === undefined || delta === "" ? [] : [{ type, index: open.index, delta }];
  }

  #end(at: number, type: string, block: Block | undefined, content?: string): ProviderEvent[] {
    const open = this.#openAt(at, type);
    open.isOver = true;
    const begun = open.index === undefined ? this.#tell(open, block) : [];
    const { index, kind } = open;
    if (index === undefined) throw answerFailure(`The provider ended tool call ${at} without its name.`);
    if (kind !== "toolcall") {
      const signature = block === undefined ? undefined : signatureOf(block);
      return [...begun, { type: `${kind}_end`, index, content: content ?? (textOf(block) || undefined), signature }];
    }
    if (block?.type !== "toolCall") throw answerFailure(`The provider ended tool call ${at} without its arguments.`);
    return [...begun, { type: "toolcall_end", index, arguments: block.arguments, signature: block.thoughtSignature }];
  }

  /** Returns the parts of the final message that were not streamed; none if it doesn't match the streamed ones. */
  #finish({ content, usage }: z.infer<typeof Message>, stopReason: "stop" | "length" | "toolUse"): ProviderEvent[] {
    const fits = [...this.#blocks].every(([at, { kind }]) => kindOf(content[at]) === kind);
    const rest = fits ? content.flatMap((block, at) => this.#complete(block, at)) : this.#closeOpen();
    return [
      ...rest,
      ...(usage === undefined ? [] : [{ type: "usage" as const, tokens: usage }]),
      { type: "end", stopReason },
    ];
  }

  #complete(block: Block, at: number): ProviderEvent[] {
    const known = this.#blocks.get(at);
    if (known?.isOver === true) return [];
    const kind = kindOf(block) ?? "text";
    const start = known === undefined ? this.#open(kind, at, block) : [];
    const delta = textOf(block);
    const index = this.#blocks.get(at)?.index;
    const isNew = known === undefined && kind !== "toolcall" && delta !== undefined && index !== undefined;
    const whole: ProviderEvent[] = isNew && delta !== "" ? [{ type: `${kind}_delta`, index, delta }] : [];
    return [...start, ...whole, ...this.#end(at, `${kind}_end`, block)];
  }

  #closeOpen(): ProviderEvent[] {
    return [...this.#blocks].flatMap(([at, { kind, isOver }]) =>
      isOver ? [] : this.#end(at, `${kind}_end`, undefined),
    );
  }

  #openAt(at: number, type: string): OpenBlock {
    const open = this.#blocks.get(at);
    if (open === undefined || open.isOver || !type.startsWith(open.kind)) {
      throw answerFailure(`The provider sent ${type} for block ${at}, which is not open as such.`);
    }
    return open;
  }
}

function kindOf(block: Block | undefined): Kind | undefined {
  return block?.type === "toolCall" ? "toolcall" : block?.type;
}

/** An event of a block, with the message so far. */
interface Placed {
  contentIndex: number;
  partial?: z.infer<typeof Partial>;
}

function blockAt({ partial, contentIndex: at }: Placed): Block | undefined {
  return Block.safeParse(partial?.content[at]).data;
}

function textOf(block: Block | undefined): string | undefined {
  if (block?.type === "text") return block.text;
  return block?.type === "thinking" ? block.thinking : undefined;
}

function signatureOf(block: Block): string | undefined {
  if (block.type === "text") return block.textSignature;
  return block.type === "thinking" ? block.thinkingSignature || undefined : block.thoughtSignature;
}

function shortly(value: unknown): string {
  try {
    return JSON.stringify(value, (key, part) => (key === "partial" ? undefined : part)).slice(0, 200);
  } catch {
    return typeof value; // it cannot be written down, for it holds itself
  }
}
