import "../no-eval.ts";
import "../language.ts";
import { formatNumber, t } from "../l10n.ts";
import { type FromUsage, type ShownUsage, ToUsage, USAGE_RANGES } from "../protocol/usage.ts";
import { el } from "../view/common/dom.ts";
import { dayPlot, type Series } from "./day-plot.ts";
import { shareTable } from "./share-table.ts";
import { cacheShare, type Sums, sumBy, sumDays, sumOf } from "./sums.ts";
import { dollars, percent, tokens } from "./words.ts";

declare function acquireVsCodeApi(): { postMessage(message: FromUsage): void };
const api = acquireVsCodeApi();
const post = (message: FromUsage) => api.postMessage(message);
window.addEventListener("error", (event) => post({ type: "pageError", message: event.message }));

const range = el(
  "select",
  "",
  { "aria-label": t("Time range") },
  USAGE_RANGES.map((days) => el("option", "", { value: String(days) }, [t("Last {0} days", days)])),
);
range.addEventListener("change", () => {
  const days = USAGE_RANGES.find((one) => String(one) === range.value);
  if (days !== undefined) post({ type: "load", days });
});
const save = el("button", "", { type: "button" }, [t("Export as CSV…")]);
save.addEventListener("click", () => post({ type: "export" }));
const state = el("p", "note", { role: "status" });
const content = el("div", "content");
document.body.append(
  el("main", "usage", {}, [
    el("header", "bar", {}, [el("h1", "", {}, [t("Usage")]), range, save]),
    state,
    content,
    el("p", "note", {}, [
      t(
        "Read from the session files on this computer; nothing is sent anywhere. Costs follow list prices. Deleted sessions don't count.",
      ),
    ]),
  ]),
);

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = ToUsage.safeParse(data).data;
  if (message?.type === "loading") {
    range.value = String(message.days);
    state.textContent = t("Reading sessions…");
  } else if (message?.type === "failed") {
    state.textContent = message.message;
    content.replaceChildren();
    save.disabled = true;
  } else if (message?.type === "usage") show(message.usage);
});
post({ type: "ready" });

function show(usage: ShownUsage): void {
  const { rows, tools, sessions, sessionCount, unreadableCount } = usage;
  range.value = String(usage.days);
  save.disabled = rows.length === 0;
  state.textContent = rows.length === 0 ? t("No usage in this period.") : wordUnreadable(unreadableCount);
  content.replaceChildren();
  if (rows.length === 0) return;
  const days = sumDays(rows, usage.calendar);
  content.append(
    totals(sumOf(rows), sessionCount),
    dayPlot({ title: t("Cost per Day"), days, series: [costSeries()], format: dollars }),
    dayPlot({ title: t("Tokens per Day"), days, series: tokenSeries(), format: tokens }),
    el("div", "columns", {}, [
      shareTable({ title: t("By Model"), column: t("Model"), rows: sumBy(rows, ({ model }) => model || t("unknown")) }),
      shareTable({
        title: t("By Project"),
        column: t("Project"),
        rows: sumBy(rows, ({ project }) => project || t("unknown")),
      }),
    ]),
    shareTable({
      title: t("By Tool"),
      note: t(
        "The cost of a response is divided among the tool calls that it makes. Responses without calls aren't shown here.",
      ),
      column: t("Tool"),
      moreColumns: [t("Calls")],
      rows: tools.map(({ tool, calls, ...rest }) => ({ name: tool, more: [formatNumber(calls)], ...rest })),
    }),
    shareTable({
      title: t("Most Expensive Sessions"),
      column: t("Session"),
      rows: sessions.map((session) => ({
        name: session.title,
        costUsd: session.costUsd,
        tokens: sumOf([session]).tokens,
        open: () => post({ type: "open", path: session.path }),
      })),
    }),
  );
}

function totals(all: Sums, sessionCount: number): HTMLElement {
  const share = cacheShare(all);
  const facts = [
    [t("Cost"), dollars(all.costUsd)],
    [t("Tokens"), tokens(all.tokens)],
    [t("Input from the cache"), share === undefined ? "–" : percent(share)],
    [t("Requests"), formatNumber(all.requests)],
    [t("Sessions"), formatNumber(sessionCount)],
  ] as const;
  return el(
    "dl",
    "totals",
    {},
    facts.map(([name, value]) => el("div", "", {}, [el("dt", "", {}, [name]), el("dd", "", {}, [value])])),
  );
}

function costSeries(): Series {
  return { name: t("Cost"), look: "cost", value: ({ costUsd }) => costUsd };
}

function tokenSeries(): Series[] {
  return [
    { name: t("Input from the cache"), look: "cached", value: ({ cacheRead }) => cacheRead },
    { name: t("Other input"), look: "input", value: ({ input, cacheWrite }) => input + cacheWrite },
    { name: t("Output"), look: "output", value: ({ output }) => output },
  ];
}

function wordUnreadable(count: number): string {
  if (count === 0) return "";
  return count === 1 ? t("1 file couldn't be read.") : t("{0} files couldn't be read.", formatNumber(count));
}
