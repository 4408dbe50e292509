import { RequestError } from "@agentclientprotocol/sdk";
import { ConnectionClosed, RequestFailed } from "../client/client-errors.ts";
import { UsageError } from "../config/args.ts";
import { AgentError, type ErrorCode } from "../protocol/errors.ts";
import type { AssistantMessage } from "../protocol/messages.ts";

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

const CODES: Partial<Record<ErrorCode, number>> = {
  busy: INVALID_REQUEST,
  invalid_request: INVALID_PARAMS,
  model_not_found: INVALID_PARAMS,
  no_credentials: AUTH_REQUIRED,
  no_model: AUTH_REQUIRED,
  not_found: NOT_FOUND,
  prompt_too_large: INVALID_PARAMS,
  session_locked: INVALID_REQUEST,
};

/** Says that a model needs a key, in words that help the user; clients offer the ways to sign in. */
export function authRequired(): RequestError {
  return new RequestError(
    AUTH_REQUIRED,
    "No model is available. Set ANTHROPIC_API_KEY or the key of another provider in the environment of tiller, or add a provider to models.json, and try again.",
  );
}

export function sessionNotFound(sessionId: string): RequestError {
  return new RequestError(NOT_FOUND, `No session has the ID ${sessionId}. List the sessions, or start a new one.`, {
    sessionId,
  });
}

export function invalidParams(message: string): RequestError {
  return new RequestError(INVALID_PARAMS, message);
}

/** Returns the protocol's error for a failure. What is not known is a fault of ours, and is told as it is. */
export function toRequestError(error: unknown): unknown {
  if (error instanceof AgentError)
    return new RequestError(CODES[error.code] ?? INTERNAL, error.message, dataOf(error.code));
  if (error instanceof RequestFailed) {
    return new RequestError(codeOf(error.code), error.message, dataOf(error.code));
  }
  if (error instanceof ConnectionClosed) return new RequestError(NOT_FOUND, error.message);
  if (error instanceof UsageError) return new RequestError(INTERNAL, error.message.replace(/^Error: /, ""));
  return error;
}

/** Returns the error for a run whose last answer failed. */
export function answerFailure({ errorMessage = "The model failed.", errorKind }: AssistantMessage): RequestError {
  const data = errorKind === undefined ? undefined : { kind: errorKind };
  return new RequestError(errorKind === "auth" ? AUTH_REQUIRED : INTERNAL, errorMessage, data);
}

function codeOf(code: string | undefined): number {
  const known = Object.entries(CODES).find(([name]) => name === code);
  return known?.[1] ?? INTERNAL;
}

function dataOf(code: string | undefined): { code: string } | undefined {
  return code === undefined ? undefined : { code };
}
