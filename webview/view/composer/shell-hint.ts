import { t } from "../../l10n.ts";
import type { TextBox } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";

/** The line below a message that is a command for the shell. */
export interface ShellHint {
  readonly element: HTMLElement;
  /** Looks at the message again. */
  refresh(): void;
}

/** Makes the line. @param hasImages whether images go with the message, which is then none for the shell. */
export function createShellHint(box: TextBox, hasImages: () => boolean): ShellHint {
  const element = el("div", "slash-hint");
  return {
    element,
    refresh() {
      const marks = hasImages() ? 0 : (/^!+/.exec(box.read())?.[0].length ?? 0);
      element.hidden = marks === 0 || marks > 2;
      setText(element, wordShell(marks));
    },
  };
}

/** Returns the hint for a command, by its number of marks. */
function wordShell(marks: number): string {
  if (marks === 1) return t("Runs in the shell. The model sees the command and its output with your next message.");
  return marks === 2 ? t("Runs in the shell. The model doesn't see it.") : "";
}
