import * as z from "zod";
import { withTimeLimit } from "../../../agent/util/with-time-limit.ts";
import { t } from "../../../webview/l10n.ts";

const LIST_TIMEOUT_MS = 10_000;
/** A local server may have to load the model first. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Models that don't chat. */
const OTHER_MODELS = /embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|rerank|video|veo|imagen/i;
/** The maximum length of a response, in UTF-16 units. Long lists of models have several hundred thousand. */
const MAX_ANSWER_CHARS = 8 * 1024 * 1024;
/** The maximum length of a server's own words about a failure, in UTF-16 units. */
const MAX_REASON_CHARS = 300;

/** A server that speaks chat completions. `baseUrl` is the part before `/chat/completions`. */
export interface ModelServer {
  readonly baseUrl: string;
  readonly key?: string | undefined;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });
const Failure = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/**
 * Returns the IDs of the models that a server has for chats, sorted. Rejects when it can't be reached or refuses, with a text for people, and
 * when `signal` aborts.
 */
export async function listModels(server: ModelServer, options: AskOptions = {}): Promise<string[]> {
  const body = await ask(server, "models", undefined, { timeoutMs: LIST_TIMEOUT_MS, ...options });
  const list = ModelList.safeParse(body);
  if (!list.success) throw new Error(t("{0} didn't return a list of models.", hostOf(server)));
  const ids = list.data.data.map(({ id }) => id).filter((id) => !OTHER_MODELS.test(id));
  return [...new Set(ids)].sort();
}

/** Has a model answer a short message. Rejects when it doesn't, with a text for people, and when `signal` aborts. */
export async function testModel(server: ModelServer, model: string, options: AskOptions = {}): Promise<void> {
  const messages = [{ role: "user", content: "Reply with OK." }];
  await ask(server, "chat/completions", { model, messages }, { timeoutMs: ANSWER_TIMEOUT_MS, ...options });
}

async function ask(server: ModelServer, path: string, request: unknown, options: AskOptions): Promise<unknown> {
  const { signal, timeoutMs = LIST_TIMEOUT_MS } = options;
  const limit = withTimeLimit(signal, timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${server.baseUrl.replace(/\/+$/, "")}/${path}`, {
      ...(request === undefined ? {} : { method: "POST", body: JSON.stringify(request) }),
      headers: {
        "content-type": "application/json",
        ...(server.key === undefined ? {} : { authorization: `Bearer ${server.key}` }),
      },
      redirect: "manual",
      signal: limit.signal,
    });
    text = await answerOf(response);
  } catch (error) {
    signal?.throwIfAborted();
    const why = limit.signal.aborted ? t("no response within {0}s", timeoutMs / 1_000) : codeOf(error);
    throw new Error(t("Couldn't reach {0} ({1}). Check your network or proxy.", hostOf(server), why));
  } finally {
    limit.end();
  }
  const body = parsed(text);
  if (!response.ok) throw new Error(t("{0} returned {1}. {2}", hostOf(server), response.status, reasonIn(body)));
  return body;
}

/** Returns the text of a response; empty if it is too long. */
async function answerOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ANSWER_CHARS) return "";
  }
  return text + decoder.decode();
}

function reasonIn(body: unknown): string {
  const error = Failure.safeParse(body).data?.error;
  const reason = typeof error === "string" ? error : (error?.message ?? "");
  return reason.slice(0, MAX_REASON_CHARS);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a page of a proxy, for example
  }
}

function hostOf({ baseUrl }: ModelServer): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return t("unknown error");
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
