import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import { openMenu } from "../common/menu.ts";
import { actionsFor, CODE_ACTIONS, codeOf, labelOf } from "./code-block.ts";
import { findFileNames } from "./file-names.ts";

const COPIED_MS = 1_500;
/** Most names of files that are sent with a block. */
const MAX_NAMES = 6;

/** Does what the buttons of code blocks below `root` say. */
export function interceptCodeActions(root: HTMLElement, host: Host): void {
  root.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest(".code-action");
    const block = button?.closest(".code-block");
    if (!(button instanceof HTMLElement) || !(block instanceof HTMLElement)) return;
    if (button.classList.contains("code-copy")) {
      host.post({ type: "copy", text: codeOf(block).replace(/\n$/, "") });
      showCopied(button);
    } else if (button.classList.contains("code-more")) {
      const items = actionsFor(block.dataset.language ?? "").map((one) => ({
        label: labelOf(one),
        icon: one.icon,
        run: () => post(host, one.action, block),
      }));
      openMenu(button, t("Code"), items);
    } else {
      const chosen = CODE_ACTIONS.find(({ action }) => button.classList.contains(`code-${action}`));
      if (chosen !== undefined) post(host, chosen.action, block);
    }
  });
}

/**
 * The names of files that a block may belong to, the likeliest first: what its first line says it is, then what stands in the comment that
 * it begins with, then what the text right above it names, from the end.
 */
export function namedFiles(block: HTMLElement): string[] {
  const own = block.dataset.file === undefined ? [] : [block.dataset.file];
  const [firstLine = ""] = codeOf(block).split("\n", 1);
  const comment = /^\s*(?:\/\/|#|--|;|\/\*|<!--)\s*(.{1,300})/.exec(firstLine)?.[1] ?? "";
  const before = block.previousElementSibling ?? block.parentElement?.previousElementSibling?.lastElementChild;
  const above = before?.matches("p, h1, h2, h3, h4, h5, h6") ? (before.textContent ?? "").slice(-1_000) : "";
  const names = [...own, ...pathsIn(comment).slice(0, 1), ...pathsIn(above).reverse()];
  return [...new Set(names)].slice(0, MAX_NAMES);
}

function pathsIn(text: string): string[] {
  return findFileNames(text).map(({ path }) => path);
}

function post(host: Host, action: (typeof CODE_ACTIONS)[number]["action"], block: HTMLElement): void {
  const code = codeOf(block);
  const language = block.dataset.language ?? "";
  host.post({ type: "codeAction", action, code, language, files: namedFiles(block) });
}

/** Says on the button for a moment that it has been done. */
function showCopied(button: HTMLElement): void {
  button.setAttribute("aria-label", t("Copied"));
  button.firstElementChild?.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => {
    button.setAttribute("aria-label", t("Copy Code"));
    button.firstElementChild?.classList.replace("codicon-check", "codicon-copy");
  }, COPIED_MS);
}
