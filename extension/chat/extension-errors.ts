import type { AgentEvent } from "../../agent/protocol/events.ts";
import { t } from "../../webview/l10n.ts";
import type { ChatLog } from "./chat-ports.ts";

type ExtensionError = Extract<AgentEvent, { type: "extension_error" }>;

/** Maximum number of different errors that are logged. */
const MAX_LOGGED = 100;
/** Maximum length of a logged error, in UTF-16 units. */
const MAX_ERROR_CHARS = 4_000;

/** Logs the errors of the agent's extensions, each different one once. */
export function createErrorLog(log: ChatLog): (event: ExtensionError) => void {
  const seen = new Set<string>();
  return ({ extensionPath, event, error }) => {
    const text = t("Extension {0} failed in {1}: {2}", extensionPath, event, error.slice(0, MAX_ERROR_CHARS));
    if (seen.has(text) || seen.size > MAX_LOGGED) return;
    seen.add(text);
    log.warn(seen.size > MAX_LOGGED ? "Extensions failed in more ways, which are not logged." : text);
  };
}
