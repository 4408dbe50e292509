/** The style sheet of an exported page: light and dark, on paper, and as narrow as a phone. */
export const PAGE_STYLE = `
:root {
  --page: #fbfaf7; --card: #fff; --ink: #1d2426; --soft: #5a6568; --line: #e0dfd8; --tint: #eef4f3; --code: #f4f3ee;
  --accent: #1b6170; --bad: #b3261e; --good: #1d6b34; --add: #dff3e0; --del: #fbe3e0;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14191b; --card: #1b2224; --ink: #e3e8e8; --soft: #9fadb0; --line: #313b3e; --tint: #1c2d31; --code: #101517;
    --accent: #7cc4d4; --bad: #ff8a80; --good: #7fd494; --add: #17361f; --del: #44201f;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 52rem; background: var(--page); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
header { border-bottom: 1px solid var(--line); padding-bottom: 1.5rem; margin-bottom: 2rem; }
.brand { margin: 0; color: var(--accent); font-size: .8rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: .25rem 0 1.25rem; font-size: 1.75rem; line-height: 1.25; text-wrap: balance; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .75rem 1rem; margin: 0; }
.facts dt { color: var(--soft); font-size: .8rem; }
.facts dd { margin: 0; font-size: .95rem; }
.facts div:has(code) { grid-column: span 2; }
.facts code { padding: 0; background: none; }
small { display: block; color: var(--soft); font-size: .8rem; }
.entry { margin: 1.5rem 0 0; content-visibility: auto; contain-intrinsic-size: auto 8rem; }
h2 { display: flex; align-items: baseline; gap: .6rem; margin: 0 0 .35rem; font-size: .85rem; font-weight: 600; color: var(--accent); }
h2 time { color: var(--soft); font-weight: 400; }
.entry.continued { margin-top: .75rem; }
.user { padding: .85rem 1.1rem; background: var(--tint); border-radius: .6rem; }
.custom { padding: .85rem 1.1rem; border: 1px dashed var(--line); border-radius: .6rem; }
.plain { white-space: pre-wrap; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose + *, .plain + *, .card + *, .thinking + * { margin-top: .75rem; }
.prose :is(h1, h2, h3, h4, h5, h6) { display: block; margin: 1.4rem 0 .5rem; color: inherit; font-size: 1.05rem; line-height: 1.35; }
.prose h1 { font-size: 1.3rem; }
.prose h2 { font-size: 1.15rem; }
.prose :is(ul, ol) { padding-left: 1.5rem; }
.prose blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.prose table { display: block; max-width: 100%; overflow-x: auto; border-collapse: collapse; }
.prose :is(th, td) { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left; overflow-wrap: normal; }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
a { color: var(--accent); }
code, pre { font-family: var(--mono); font-size: .85em; }
code { padding: .1em .3em; background: var(--code); border-radius: .25rem; }
pre {
  margin: .6rem 0; padding: .75rem .9rem; max-height: 32rem; overflow: auto; background: var(--code); border: 1px solid var(--line);
  border-radius: .4rem; line-height: 1.5; overflow-wrap: normal; tab-size: 4;
}
pre code { padding: 0; background: none; font-size: inherit; }
img { display: block; margin: .6rem 0; max-width: 100%; max-height: 40rem; border: 1px solid var(--line); border-radius: .4rem; }
details > summary { cursor: pointer; }
.card { background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--good); border-radius: .4rem; padding: 0 .9rem; }
.card.failed { border-left-color: var(--bad); }
.card.open-end { border-left-color: var(--soft); }
.card[open] { padding-bottom: .5rem; }
.card > summary { display: flex; align-items: baseline; gap: .6rem; margin: 0 -.9rem; padding: .5rem .9rem; list-style: none; font-size: .9rem; }
.card > summary::-webkit-details-marker { display: none; }
.card > summary::before { content: "\\25B8"; color: var(--soft); }
.card[open] > summary::before { content: "\\25BE"; }
.gist { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: var(--mono); font-size: .85em; }
.state { margin-left: auto; color: var(--soft); font-size: .8rem; white-space: nowrap; }
.failed > summary > .state { color: var(--bad); }
.input { margin: 0; }
.input dt, .caption { color: var(--soft); font-size: .8rem; }
.input dd { margin: 0 0 .5rem; }
.diff ins, .diff del { display: block; margin: 0 -.9rem; padding: 0 .9rem; text-decoration: none; }
.diff code { display: block; width: max-content; min-width: 100%; }
.diff ins { background: var(--add); color: var(--good); }
.diff del { background: var(--del); color: var(--bad); }
.thinking { color: var(--soft); font-size: .9rem; }
.thinking > summary { font-style: italic; }
.thinking > .prose, .thinking > .plain { margin-top: .4rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.turn { margin: 2rem 0; padding: .6rem 0; border: solid var(--line); border-width: 1px 0; color: var(--soft); font-size: .9rem; }
.turn > summary + * { margin-top: .6rem; }
.note { margin: .4rem 0; color: var(--soft); font-size: .85rem; }
.failure { margin: .5rem 0; padding: .6rem .9rem; border-left: 3px solid var(--bad); background: var(--del); border-radius: .25rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
footer p { margin: .25rem 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 1.25rem .9rem 3rem; }
  h1 { font-size: 1.4rem; }
  .facts { grid-template-columns: 1fr 1fr; gap: .6rem 1rem; }
}
@media print {
  :root {
    --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --tint: #f2f2f2; --code: #f7f7f7;
    --accent: #1b6170; --bad: #b3261e; --good: #1d6b34; --add: #e8f5e9; --del: #fdecea;
  }
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  .entry { content-visibility: visible; }
  pre { max-height: none; overflow: visible; white-space: pre-wrap; overflow-wrap: anywhere; }
  h2, summary { break-after: avoid; }
  img, .user { break-inside: avoid; }
}
`;
