import { formatDollars, t } from "../../l10n.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { el, setText } from "../common/dom.ts";
import { hostNow } from "../common/host-clock.ts";

/** The minimum cost that is shown, in US dollars. */
const WORTH_TELLING_USD = 0.05;

/** The line with the cost of the next message after the provider's cache has expired. */
export function createCacheLine(): { element: HTMLElement; show(ui: Pick<PanelUi, "status" | "cache">): void } {
  const element = el("div", "cache-line");
  let timer: number | undefined;
  function show({ status, cache }: Pick<PanelUi, "status" | "cache">): void {
    clearTimeout(timer);
    const isTold = cache !== undefined && status === "idle" && cache.rereadUsd >= WORTH_TELLING_USD;
    const leftMs = cache === undefined ? 0 : cache.expiresAt - hostNow();
    element.hidden = !isTold || leftMs > 0;
    if (!isTold) return;
    setText(element, t("Cache expired: next message costs about {0}", formatDollars(cache.rereadUsd)));
    if (leftMs > 0) timer = window.setTimeout(() => show({ status, cache }), leftMs);
  }
  return { element, show };
}
