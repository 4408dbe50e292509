import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";
import { t } from "../../../webview/l10n.ts";
import type { FromTrace, ToTrace, TraceRow } from "../../../webview/protocol/trace.ts";
import type { TraceEntry } from "../../core/trace/wire-trace.ts";
import { redactFrame } from "./redact-frames.ts";

/** The source of a page's frames: a growing trace, or a file. */
export interface TraceSource {
  readonly isLive: boolean;
  readonly isEnabled: boolean;
  /** The text that the page shows above the list. */
  readonly note: string;
  /** Number of entries missing before the oldest. */
  readonly dropped: number;
  after(seq: number, max?: number): readonly TraceEntry[];
  entry(seq: number): TraceEntry | undefined;
  /** Calls back after changes. @returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

interface TraceFeedOptions {
  readonly source: TraceSource;
  readonly find: FindSecrets;
  readonly send: (message: ToTrace) => void;
  /** Calls back once after `delayMs`; the returned function cancels that. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

/** Time between two batches of rows, and number of rows in each. */
export const BATCH_MS = 100;
const BATCH_ROWS = 2_000;
/** Maximum length of a shown frame, in UTF-16 units. */
const MAX_SHOWN_CHARS = 200_000;
const MAX_LABEL_CHARS = 200;

/** Sends one page of a trace without secrets: rows in batches, complete frames on request. */
export class TraceFeed {
  readonly #options: TraceFeedOptions;
  readonly #unlisten: () => void;
  #sentSeq = 0;
  #isReady = false;
  #isPaused = false;
  #cancel: (() => void) | undefined;

  constructor(options: TraceFeedOptions) {
    this.#options = options;
    this.#unlisten = options.source.onChange(() => this.#schedule(BATCH_MS));
  }

  receive(message: Extract<FromTrace, { type: "ready" | "read" | "search" | "pause" }>): void {
    switch (message.type) {
      case "ready":
        this.restart();
        break;
      case "read":
        this.#read(message.seq);
        break;
      case "search":
        this.#search(message);
        break;
      case "pause":
        this.#isPaused = message.isPaused;
        this.#schedule(0);
        break;
    }
  }

  /** Sends everything again, after the page has loaded, or the trace was switched on or off. */
  restart(): void {
    const { isLive, isEnabled, note } = this.#options.source;
    this.#isReady = true;
    this.#sentSeq = 0;
    this.#options.send({ type: "start", isLive, isEnabled, note });
    this.#schedule(0);
  }

  /** Ends the feed; nothing is sent any more. */
  dispose(): void {
    this.#unlisten();
    this.#cancel?.();
    this.#isReady = false;
  }

  #schedule(delayMs: number): void {
    if (!this.#isReady || this.#isPaused || this.#cancel !== undefined) return;
    this.#cancel = this.#options.schedule(() => {
      this.#cancel = undefined;
      this.#flush();
    }, delayMs);
  }

  #flush(): void {
    if (!this.#isReady || this.#isPaused) return;
    const { source, send, find } = this.#options;
    const entries = source.after(this.#sentSeq, BATCH_ROWS);
    send({ type: "rows", first: source.dropped + 1, rows: entries.map((entry) => rowOf(entry, find)) });
    this.#sentSeq = entries.at(-1)?.seq ?? this.#sentSeq;
    // The rest follows in another turn of the event loop.
    if (entries.length === BATCH_ROWS) this.#schedule(0);
  }

  #read(seq: number): void {
    const { source, find, send } = this.#options;
    const entry = source.entry(seq);
    send({
      type: "frame",
      seq,
      text: entry === undefined ? t("This frame is no longer available.") : shown(entry, find),
    });
  }

  #search({ request, text, after }: Extract<FromTrace, { type: "search" }>): void {
    const { source, send } = this.#options;
    const wanted = text.toLowerCase();
    // Only entries that were sent: the rest is searched when the page has it.
    const seqs = source.after(after).flatMap((entry) => {
      const isFound = entry.seq <= this.#sentSeq && entry.text.toLowerCase().includes(wanted);
      return isFound ? [entry.seq] : [];
    });
    send({ type: "found", request, seqs });
  }
}

/** Returns the row of an entry in the list. */
export function rowOf({ seq, at, direction, text, size }: TraceEntry, find: FindSecrets): TraceRow {
  const { type, id } = labelsOf(text);
  const label = (words: string) => withoutSecrets(words, find).slice(0, MAX_LABEL_CHARS);
  return { seq, at, direction, type: label(type), id: label(id), size };
}

function labelsOf(text: string): { type: string; id: string } {
  if (text === "") return { type: t("(too large to keep)"), id: "" };
  const frame = parsed(text);
  const type = field(frame, "type");
  if (type === "") return { type: t("(not a frame)"), id: "" };
  const more =
    field(frame, "command") ||
    field(member(frame, "assistantMessageEvent"), "type") ||
    field(frame, "method") ||
    field(frame, "toolName") ||
    field(member(frame, "message"), "role") ||
    field(frame, "status") ||
    field(frame, "state");
  return { type: more === "" ? type : `${type} ${more}`, id: field(frame, "id") || field(frame, "toolCallId") };
}

function shown({ text, size }: TraceEntry, find: FindSecrets): string {
  if (text === "") return t("This frame has {0} characters, which is too large to keep.", size);
  const frame = redactFrame(text, find);
  const whole = frame.kind === "text" ? frame.text : JSON.stringify(frame.value, null, 2);
  if (whole.length <= MAX_SHOWN_CHARS) return whole;
  return `${whole.slice(0, MAX_SHOWN_CHARS)}\n${t("… Save the trace to see the rest.")}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a frame
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function field(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === "string" ? found : "";
}
