import * as z from "zod";
import { ModelFailed } from "../../../agent/client/custom-models.ts";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ModelErrorKind } from "../../../agent/protocol/model.ts";
import { t } from "../../../webview/l10n.ts";

const Coded = z.object({ code: z.string() });
const MAX_CAUSES = 5;

/**
 * Patterns for messages of providers, tried in order. The editor passes on their messages, and nothing else that
 * distinguishes errors.
 */
const KINDS: readonly (readonly [ModelErrorKind, RegExp])[] = [
  [
    "context_overflow",
    /context (?:window|length|limit)|prompt is too long|too many (?:input )?tokens|max_prompt_tokens|token limit/i,
  ],
  ["rate_limit", /rate.?limit|too many requests|\b429\b/i],
  ["quota", /quota|billing|premium request|usage limit|credit balance|payment required|\b402\b/i],
  ["overloaded", /overloaded|temporarily unavailable|\b(?:503|529)\b/i],
  ["auth", /unauthorized|forbidden|not signed in|sign in|api key|\b40[13]\b/i],
  ["timeout", /timed? ?out|ETIMEDOUT|\b(?:408|504)\b/i],
  ["network", /ECONN|ENOTFOUND|EAI_AGAIN|fetch failed|socket hang up|network|net::ERR/i],
  ["server", /internal server error|server error|\b50[02]\b/i],
];

/**
 * Describes why a model of the editor failed, and tells whether to retry.
 * @see https://code.visualstudio.com/api/references/vscode-api#LanguageModelError for the codes.
 */
export function describeFailure(error: unknown, model: string): ModelFailed {
  if (error instanceof ModelFailed) return error;
  const code = Coded.safeParse(error).data?.code;
  const words = wordsOf(error);
  const failed = (kind: ModelErrorKind, text: string) => new ModelFailed(kind, text, { cause: error });
  if (code === "NoPermissions") {
    return failed(
      "auth",
      t("Tiller isn't allowed to use {0}. Send the message again and allow access, or select another model.", model),
    );
  }
  if (code === "NotFound") {
    return failed("invalid_request", t("{0} is no longer available in the editor. Select another model.", model));
  }
  if (/off_topic/i.test(words)) {
    return failed("invalid_request", t("{0} didn't respond because it considers your message off topic.", model));
  }
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0];
  if (code === "Blocked" && kind !== "rate_limit") {
    return failed("quota", t("{0} isn't available right now: {1}", model, words));
  }
  return failed(kind ?? "invalid_request", t("{0} didn't respond: {1}", model, words));
}

/** Returns the messages of an error and its causes, each once. */
function wordsOf(error: unknown): string {
  const words: string[] = [];
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined && cause !== null; depth += 1) {
    const message = errorMessage(cause).trim();
    if (message !== "" && !words.some((known) => known.includes(message))) words.push(message);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return words.join(" ") || t("no reason given");
}
