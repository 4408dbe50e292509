import { t } from "../l10n.ts";
import { el } from "../view/common/dom.ts";
import { byCost } from "./sums.ts";
import { dollars, percent, tokens } from "./words.ts";

const MAX_ROWS = 20;

/** A line of a table of shares. */
interface Share {
  readonly name: string;
  readonly costUsd: number;
  readonly tokens: number;
  /** Further cells, one for each further column. */
  readonly more?: readonly string[];
  /** Opens what the line is about. */
  readonly open?: () => void;
}

interface ShareTable {
  readonly title: string;
  /** Explains the numbers. */
  readonly note?: string;
  readonly column: string;
  readonly moreColumns?: readonly string[];
  readonly rows: readonly Share[];
}

/** A table of the dearest parts, each with a bar of its share: of the cost, or of the tokens where nothing has a price. */
export function shareTable({ title, note, column, moreColumns = [], rows }: ShareTable): HTMLElement {
  const all = byCost(rows);
  const shown = all.slice(0, MAX_ROWS);
  const hasCost = all.some(({ costUsd }) => costUsd > 0);
  const measure = (row: Share) => (hasCost ? row.costUsd : row.tokens);
  const total = all.reduce((sum, row) => sum + measure(row), 0);
  const head = [column, t("Share"), t("Cost"), t("Tokens"), ...moreColumns].map((name) =>
    el("th", "", { scope: "col" }, [name]),
  );
  const body = shown.map((row) => shareRow(row, total === 0 ? 0 : measure(row) / total));
  const left = all.length - shown.length;
  return el("section", "", { "aria-label": title }, [
    el("h2", "", {}, [title]),
    ...(note === undefined ? [] : [el("p", "note", {}, [note])]),
    rows.length === 0
      ? el("p", "note", {}, [t("No usage in this period.")])
      : el("div", "scroll", { tabindex: "0", role: "group", "aria-label": title }, [
          el("table", "shares", {}, [el("thead", "", {}, [el("tr", "", {}, head)]), el("tbody", "", {}, body)]),
        ]),
    ...(left > 0 ? [el("p", "note", {}, [t("{0} more", left)])] : []),
  ]);
}

function shareRow({ name, costUsd, tokens: count, more = [], open }: Share, share: number): HTMLElement {
  const title = open === undefined ? name : link(name, open);
  const bar = el("span", "share-bar", { "aria-hidden": "true" });
  bar.style.setProperty("inline-size", `${(share * 100).toFixed(1)}%`);
  return el("tr", "", {}, [
    el("th", "name", { scope: "row", title: name }, [title]),
    el("td", "share", {}, [el("span", "track", {}, [bar]), el("span", "share-text", {}, [percent(share)])]),
    el("td", "number", {}, [dollars(costUsd)]),
    el("td", "number", {}, [tokens(count)]),
    ...more.map((text) => el("td", "number", {}, [text])),
  ]);
}

function link(name: string, open: () => void): HTMLElement {
  const button = el("button", "link", { type: "button" }, [name]);
  button.addEventListener("click", open);
  return button;
}
