import { expect, test } from "vitest";
import { ModelFailed } from "../../../../agent/client/custom-models.ts";
import { describeFailure } from "../../../../extension/host/editor-models/lm-failure.ts";

/** An error as the editor makes it. */
function coded(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

test.each([
  [
    coded("NoPermissions", "Language model 'x' cannot be used by 'y'."),
    "auth",
    "Tiller isn't allowed to use Fox. Send the message again and allow access, or select another model.",
  ],
  [
    coded("NotFound", "Language model 'x' is unknown."),
    "invalid_request",
    "Fox is no longer available in the editor. Select another model.",
  ],
  [
    coded("Blocked", "You have used up your requests."),
    "quota",
    "Fox isn't available right now: You have used up your requests.",
  ],
  [coded("Blocked", "Rate limit exceeded"), "rate_limit", "Fox didn't respond: Rate limit exceeded"],
  [
    coded("Unknown", "Request failed", new Error("off_topic")),
    "invalid_request",
    "Fox didn't respond because it considers your message off topic.",
  ],
  [
    coded("Unknown", "Request failed", new Error("fetch failed")),
    "network",
    "Fox didn't respond: Request failed fetch failed",
  ],
  [new Error("Request Failed: 500 Internal Server Error"), "server", undefined],
  [new Error("Reason: model_max_prompt_tokens_exceeded"), "context_overflow", undefined],
  [new Error("Quota exceeded"), "quota", undefined],
  [new Error("503 Service temporarily unavailable"), "overloaded", undefined],
  [new Error("Request timed out"), "timeout", undefined],
  [new Error("401 Unauthorized"), "auth", undefined],
  [new Error("Something odd."), "invalid_request", "Fox didn't respond: Something odd."],
  [new Error(""), "invalid_request", "Fox didn't respond: no reason given"],
  ["thrown text", "invalid_request", "Fox didn't respond: thrown text"],
])("%s is reported as %s", (error, kind, message) => {
  const failure = describeFailure(error, "Fox");
  expect(failure.kind).toBe(kind);
  if (message !== undefined) expect(failure.message).toBe(message);
});

test("a failure that already has a message keeps it", () => {
  const failure = new ModelFailed("quota", "Enough.");
  expect(describeFailure(failure, "Fox")).toBe(failure);
});

test("an error that is its own cause is shown once", () => {
  const error = new Error("Round and round.");
  error.cause = error;
  expect(describeFailure(error, "Fox").message).toBe("Fox didn't respond: Round and round.");
});
