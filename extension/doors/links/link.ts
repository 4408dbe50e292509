import { t } from "../../../webview/l10n.ts";
import { readShellCommand } from "../../chat/user-shell.ts";

/** Maximum length of a link's text, in UTF-16 units. */
const MAX_TEXT_CHARS = 10_000;

/** Invisible characters that belong in text: line ends, and joiners of letters and emoji. */
const KEPT: ReadonlySet<string> = new Set(["\n", "\t", "\u200c", "\u200d", "\ufe0f"]);

/** The action that a link asks for; `refused` says why nothing is done. */
export type LinkTarget =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "refused"; readonly reason: string };

/** The parts of a link as the editor hands them over. */
interface Link {
  readonly path: string;
  readonly query: string;
}

/**
 * Parses a link of the form `vscode://tiller-dev.tiller/…`, which anybody may have written.
 * @param isInBrowser true when the query is form-encoded, as in the web editor; on the desktop it is decoded once, so that the text is
 *   everything up to the end, and `+` is a plus.
 */
export function readLink({ path, query: given }: Link, isInBrowser = false): LinkTarget {
  const query = isInBrowser ? [...new URLSearchParams(given)].map((pair) => pair.join("=")).join("&") : given;
  switch (path.replace(/\/$/, "")) {
    case "/prompt":
      return promptLink(query);
    case "/session": {
      const id = /^id=([\w-]{1,128})$/.exec(query)?.[1];
      if (id !== undefined) return { kind: "session", id };
      return refused(t("The link doesn't contain a Tiller session ID."));
    }
    default:
      return refused(t("Tiller doesn't recognize this link. You might need a newer version of Tiller."));
  }
}

function promptLink(query: string): LinkTarget {
  const written = /^text=([\s\S]*)$/.exec(query)?.[1];
  if (written === undefined) return refused(t("The link doesn't contain any message text."));
  if (written.length > MAX_TEXT_CHARS) {
    return refused(t("The link's text is longer than {0} characters, so Tiller ignored it.", MAX_TEXT_CHARS));
  }
  const text = visibleText(written);
  if (text === "") return refused(t("The link doesn't contain any message text."));
  // A shell command would run without the model, so it takes more than Enter.
  return { kind: "prompt", text: readShellCommand(text) === undefined ? text : ` ${text}` };
}

/** Keeps visible text only: no control characters, none that change the writing direction, no invisible ones, no runs of empty lines. */
function visibleText(text: string): string {
  return (
    text
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, (character) => (KEPT.has(character) ? character : ""))
      // Empty lines could push the rest of the text out of view.
      .replace(/(?:[^\S\n]*\n){3,}/g, "\n\n")
      .trim()
  );
}

function refused(reason: string): LinkTarget {
  return { kind: "refused", reason };
}
