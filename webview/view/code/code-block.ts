import { t } from "../../l10n.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { codeNodes } from "./code-text.ts";

/** Actions of a code block's buttons, which the host performs. */
export const CODE_ACTIONS = [
  { action: "insert", icon: "insert" },
  { action: "apply", icon: "git-compare" },
  { action: "newFile", icon: "new-file" },
  { action: "terminal", icon: "terminal" },
] as const;

type CodeAction = (typeof CODE_ACTIONS)[number];

/** Returns the label of an action's button. */
export function labelOf({ action }: CodeAction): string {
  return {
    insert: t("Insert at Cursor"),
    apply: t("Apply to File"),
    newFile: t("Insert into New File"),
    terminal: t("Run in Terminal"),
  }[action];
}

const SHELLS = new Set(["bash", "bat", "cmd", "console", "fish", "powershell", "ps1", "pwsh", "sh", "shell", "zsh"]);

/** The actions that make sense for code in `language`: only commands go to a terminal, and nowhere else than a file does the rest. */
export function actionsFor(language: string): readonly CodeAction[] {
  const isCommand = isShell(language);
  return CODE_ACTIONS.filter(({ action }) => (action === "terminal" ? isCommand : !isCommand || action !== "apply"));
}

function isShell(language: string): boolean {
  return SHELLS.has(language.toLowerCase());
}

/**
 * A block of code with its language and a bar of buttons. It is not colored yet.
 * @param file the file that the author of the block says it is, as written.
 */
export function codeBlock(code: string, language: string, file = ""): HTMLElement {
  const bar = actionBar(language);
  const pre = el(
    "pre",
    "",
    { tabindex: "0", "aria-label": language === "" ? t("Code") : t("Code, {0}", language), role: "group" },
    [el("code", "", {}, codeNodes(code))],
  );
  const block = el("div", "code-block", {}, [
    el("div", "code-head", {}, [el("span", "code-language", {}, [file === "" ? language : file]), bar]),
    pre,
  ]);
  if (language !== "") block.dataset.language = language.toLowerCase();
  if (file !== "") block.dataset.file = file;
  return block;
}

/** The bars that were made, by whether they are for commands. Many blocks have the same one, and a copy is made faster. */
const bars = new Map<boolean, HTMLElement>();

function actionBar(language: string): Node {
  const bar = bars.get(isShell(language)) ?? createBar(language);
  bars.set(isShell(language), bar);
  return bar.cloneNode(true);
}

function createBar(language: string): HTMLElement {
  const bar = el("div", "code-bar", { role: "toolbar", "aria-label": t("Code") }, [
    ...actionsFor(language).map((one) => button(`code-action code-${one.action}`, labelOf(one), one.icon)),
    button("code-action code-copy", t("Copy Code"), "copy"),
    button("code-action code-more", t("More Actions…"), "ellipsis"),
  ]);
  bar.lastElementChild?.setAttribute("aria-haspopup", "menu");
  return bar;
}

/** The code of a block as it was written. */
export function codeOf(block: Element): string {
  return block.querySelector("pre > code")?.textContent ?? "";
}

function button(className: string, label: string, iconName: string): HTMLElement {
  return el("button", className, { type: "button", "aria-label": label, title: label }, [icon(iconName)]);
}
