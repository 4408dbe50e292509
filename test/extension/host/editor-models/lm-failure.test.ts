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
    "You have not allowed Tiller to use Fox. Send the message again and allow it, or choose another model.",
  ],
  [
    coded("NotFound", "Language model 'x' is unknown."),
    "invalid_request",
    "The editor does not have Fox any more. Choose another model.",
  ],
  [
    coded("Blocked", "You have used up your requests."),
    "quota",
    "Fox cannot be asked at the moment: You have used up your requests.",
  ],
  [coded("Blocked", "Rate limit exceeded"), "rate_limit", "Fox gave no answer: Rate limit exceeded"],
  [
    coded("Unknown", "Request failed", new Error("off_topic")),
    "invalid_request",
    "Fox did not answer, since it takes the message for off topic.",
  ],
  [
    coded("Unknown", "Request failed", new Error("fetch failed")),
    "network",
    "Fox gave no answer: Request failed fetch failed",
  ],
  [new Error("Request Failed: 500 Internal Server Error"), "server", undefined],
  [new Error("Reason: model_max_prompt_tokens_exceeded"), "context_overflow", undefined],
  [new Error("Quota exceeded"), "quota", undefined],
  [new Error("503 Service temporarily unavailable"), "overloaded", undefined],
  [new Error("Request timed out"), "timeout", undefined],
  [new Error("401 Unauthorized"), "auth", undefined],
  [new Error("Something odd."), "invalid_request", "Fox gave no answer: Something odd."],
  [new Error(""), "invalid_request", "Fox gave no answer: no reason was given"],
  ["thrown text", "invalid_request", "Fox gave no answer: thrown text"],
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
  expect(describeFailure(error, "Fox").message).toBe("Fox gave no answer: Round and round.");
});
