import type { Provider, ProviderErrorKind } from "../../agent/providers/provider.ts";

/** A server of one API. Each method but the last readies the answer to one request. */
export interface WireServer {
  readonly url: string;
  /** The bodies of the requests, as text. */
  bodies(): string[];
  text(text: string): void;
  /** Two calls: `call_1` of `read` with a path, and `call_2` of `ls` without arguments. */
  calls(): void;
  /** Thinks, and says "So." */
  thinking(text: string): void;
  /** 12 tokens in, 5 of them from the cache, and 34 out. */
  counted(): void;
  atLimit(text: string): void;
  refused(text: string): void;
  /** Begins, and fails with this error. */
  failed(code: string, message: string): void;
  /** Begins, and loses the connection, closes it in order, or sends nothing more. */
  begun(end: "cut" | "ended" | "hang"): void;
  refuse(refusal: Refusal, headers: Record<string, string>): void;
  stop(): Promise<void>;
}

/** A service's message in place of an answer. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
}

/** One of the APIs of models. */
export interface Wire {
  api: string;
  /** The id of its model; default `served`. */
  model?: string;
  create(options?: { idleTimeoutMs?: number }): Provider;
  start(): Promise<WireServer>;
  /** The service's own words for what ends an answer that has begun. */
  failures: readonly (readonly [code: string, message: string, kind: ProviderErrorKind])[];
  refusals: readonly (readonly [refusal: Refusal, kind: ProviderErrorKind])[];
}
