/** Takes a text that is there already, such as the message of a commit that is amended, and refuses to make up another. */
const GIT_EDITOR = editor(
  "There's no terminal, so no editor can open. Give the message in the command: -m 'message' or -F file, or --no-edit to keep it.",
);
const LIST_EDITOR =
  "echo 'No terminal, so no editor opens. Set GIT_SEQUENCE_EDITOR to a command that edits the list, such as sed -i.' >&2; false";

/**
 * Variables for commands without a terminal: programs that would open an editor, page their output or ask for a password end at once. They
 * do not say that the command runs in continuous integration, which would change what many programs do.
 */
export const WITHOUT_TERMINAL: Readonly<Record<string, string>> = {
  GIT_EDITOR,
  GIT_SEQUENCE_EDITOR: LIST_EDITOR,
  EDITOR: "false",
  VISUAL: "false",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
};

/** Returns shell code that Git completes with the path of a file: it fails with a text unless the file has a line that is no comment. */
function editor(refusal: string): string {
  const text = refusal.replaceAll("'", `'\\''`);
  return `f() { grep -q '^[^#[:space:]]' "$1" && return; echo '${text}' >&2; return 1; }; f`;
}
