import type { AgentMessage } from "../../protocol/messages.ts";
import type { Usage } from "../../protocol/model.ts";
import { besideUsage } from "../entry-tree.ts";
import { countMessages } from "../stats.ts";
import { type Html, NOTHING, trusted } from "./html.ts";
import { formatCount, timeView } from "./message-view.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Pen } from "./pen.ts";
import type { MainLine, SessionPage } from "./session-page.ts";

const MAX_TITLE_CHARACTERS = 100;
/** No scripts and nothing from elsewhere: anything that slips into the page stays text. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

interface HeadParts extends Pick<SessionPage, "header" | "entries"> {
  line: MainLine;
}

/** Returns the page up to the first entry: title, place and time, and the size and cost of the whole session. */
export function pageHead(pen: Pen, { header, entries, line }: HeadParts): Html {
  const { html } = pen;
  const title = pen.brief(titleOf(header, entries, line), MAX_TITLE_CHARACTERS);
  const messages = [...messagesOf(entries)];
  const { totalMessages, tokens, cost } = countMessages(messages, summaryUsages(entries));
  const models = [
    ...new Set(messages.flatMap((message) => (message.role === "assistant" ? [modelName(message)] : []))),
  ];
  const last = entries.at(-1)?.entry.timestamp;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tiller">
<title>${title}</title>
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
<header>
<p class="brand">Tiller session</p>
<h1 dir="auto">${title}</h1>
<dl class="facts">
${fact(pen, "Started", timeView(pen, header.timestamp, "date"))}
${last === undefined ? NOTHING : fact(pen, "Last entry", timeView(pen, last, "date"))}
${fact(pen, "Folder", html`<code>${header.cwd}</code>`)}
${models.length === 0 ? NOTHING : fact(pen, models.length === 1 ? "Model" : "Models", html`${models.join(", ")}`)}
${fact(pen, "Messages", html`${formatCount(totalMessages)}`)}
${fact(pen, "Tokens", html`${formatCount(tokens.total)} <small>${tokenNote(tokens)}</small>`)}
${fact(pen, "Cost", html`${formatCost(cost)}`)}
</dl>
</header>
<main>
`;
}

/** Returns the page after the last entry. @param elsewhere a note about entries that aren't shown, if there are any. */
export function pageFoot({ html }: Pen, elsewhere: string | undefined): Html {
  const note = elsewhere === undefined ? NOTHING : html`<p>Not shown: ${elsewhere}. The totals above include them.</p>`;
  return html`</main>
<footer>
${note}
<p>Exported by Tiller. Values that look like keys are redacted.</p>
</footer>
</body>
</html>
`;
}

function fact({ html }: Pen, name: string, value: Html): Html {
  return value === NOTHING ? NOTHING : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function titleOf(header: SessionPage["header"], entries: SessionPage["entries"], line: HeadParts["line"]): string {
  const named = entries.findLast(({ known }) => known?.type === "session_info")?.known;
  const name = named?.type === "session_info" ? named.name : header.title;
  if (name?.trim()) return name;
  for (const entry of line) {
    if (entry?.type !== "message" || entry.message.role !== "user") continue;
    const { content } = entry.message;
    const text =
      typeof content === "string"
        ? content
        : content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") return text;
  }
  return `Session ${header.id}`;
}

function* messagesOf(entries: SessionPage["entries"]): Generator<AgentMessage> {
  for (const { known } of entries) if (known?.type === "message") yield known.message;
}

function* summaryUsages(entries: SessionPage["entries"]): Generator<Usage> {
  for (const { known } of entries) {
    const usage = known && besideUsage(known);
    if (usage !== undefined) yield usage;
  }
}

function modelName({ provider, model }: { provider: string; model: string }): string {
  return `${provider}/${model}`;
}

function tokenNote({
  input,
  output,
  cacheRead,
  cacheWrite,
}: {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}): string {
  const parts = { in: input, out: output, "from cache": cacheRead, "to cache": cacheWrite };
  const named = Object.entries(parts).filter(([, count]) => count > 0);
  return named.map(([name, count]) => `${formatCount(count)} ${name}`).join(" · ");
}

function formatCost(dollars: number): string {
  return `$${dollars >= 0.1 || dollars === 0 ? dollars.toFixed(2) : dollars.toFixed(4)}`;
}
