import { t } from "../l10n.ts";
import { el } from "../view/common/dom.ts";

/** The frame that is selected, laid out. */
export interface FrameDetails {
  readonly element: HTMLElement;
  show(title: string, text: string): void;
  clear(): void;
  focus(): void;
}

/** Longer texts have no colors, because each color is an element. */
const MAX_COLOURED_CHARS = 50_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Makes the pane. @param left is called when the keyboard wants back to the list. */
export function createFrameDetails(left: () => void): FrameDetails {
  const title = el("h2", "details-title", {}, [t("No frame selected")]);
  const body = el("pre", "details-body", { tabindex: "0", role: "region", "aria-label": t("Frame content") });
  const element = el("section", "details", {}, [title, body]);
  body.addEventListener("keydown", (event) => {
    if (event.key === "Escape") left();
  });
  return {
    element,
    focus: () => body.focus(),
    clear() {
      title.textContent = t("No frame selected");
      body.replaceChildren();
    },
    show(name, text) {
      title.textContent = name;
      body.replaceChildren(...(text.length > MAX_COLOURED_CHARS ? [text] : colored(text)));
      body.scrollTop = 0;
    },
  };
}

function colored(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let done = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [all, string, colon] = match;
    const kind = string === undefined ? "number" : colon === undefined ? "string" : "name";
    const word = string ?? all;
    parts.push(text.slice(done, match.index), el("span", kind, {}, [word]));
    done = match.index + word.length;
  }
  parts.push(text.slice(done));
  return parts;
}
