import type { Host } from "../../host.ts";
import type { FromPanel } from "../../protocol/from-panel.ts";

type LinkMessage = Extract<FromPanel, { type: "openLink" | "openFile" }>;

/**
 * Returns the action of a link: a URL for the browser, or a file with an optional line and column (`a.ts:12:5`, `a.ts#L12`).
 * @returns undefined for anything that must not be opened.
 */
export function linkTarget(href: string): LinkMessage | undefined {
  if (/^(?:https?|mailto):/i.test(href)) return { type: "openLink", href };
  const withoutScheme = href.replace(/^file:\/\//i, "");
  const isDrive = /^[a-z]:[\\/]/i.test(withoutScheme);
  if (withoutScheme === "" || withoutScheme.startsWith("#") || withoutScheme.startsWith("//")) return undefined;
  const match = /^(.*?)(?:(?::|#L)(\d+)(?::(\d+))?(?:[:-]\S*)?)?$/s.exec(withoutScheme);
  const path = decoded(match?.[1] ?? withoutScheme);
  if (path === "" || (!isDrive && /^[a-z][a-z\d+.-]*:/i.test(path))) return undefined;
  const line = Number(match?.[2] ?? 0);
  const column = Number(match?.[3] ?? 0);
  const place = line > 0 ? { line, ...(column > 0 ? { column } : {}) } : {};
  return { type: "openFile", path, ...place };
}

/**
 * Hands clicks on links to the host. Nothing is ever navigated, and the editor's own click handler, which sits further
 * out, never sees them.
 */
export function interceptLinks(root: HTMLElement, host: Host): void {
  function onClick(event: MouseEvent): void {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    const target = linkTarget(link.getAttribute("href") ?? "");
    if (target && event.button === 0) host.post(target);
  }
  root.addEventListener("click", onClick);
  root.addEventListener("auxclick", onClick);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A stray percent sign: the path is meant as it stands.
    return path;
  }
}
