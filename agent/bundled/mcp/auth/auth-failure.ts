import { OAuthError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { errorMessage } from "../../../protocol/errors.ts";
import { createRedactor } from "../../../util/redact.ts";
import { SignInFailed, SignInNeeded } from "../sign-in-needed.ts";

const MAX_CHARACTERS = 300;
/** Behind these words comes the answer of the service as it is, which may be a whole page. */
const RAW_ANSWER = /:? ?Invalid OAuth error response[\s\S]*$/;

/**
 * Returns an error with a reason for the user in place of one of the SDK's client, without any of the secrets.
 * Our own errors stay as they are.
 */
export function authFailure(error: unknown, secrets: readonly (string | undefined)[]): unknown {
  if (error instanceof SignInNeeded || error instanceof SignInFailed) return error;
  const { redact } = createRedactor(secrets.filter((secret) => secret !== undefined));
  const text = redact(described(error)).replace(/\s+/g, " ").slice(0, MAX_CHARACTERS);
  return new SignInFailed(`signing in failed: ${text}. To try again, run /mcp.`);
}

function described(error: unknown): string {
  if (!(error instanceof OAuthError)) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return `${errorMessage(error)}${cause}`.replace(/\.$/, "");
  }
  const text = error.message.replace(RAW_ANSWER, "").replace(/\.$/, "");
  return text === "" ? error.errorCode : `${text} (${error.errorCode})`;
}
