import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE } from "../webview/view/markdown/markdown-corpus.ts";
import { answer, assistant, entriesOf, PNG, pageOf, said, toolResult, user } from "./sample-session.ts";

const SCREENSHOTS = join(import.meta.dirname, "../e2e/screenshots/export");

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tiller-export-"));
  browser = await chromium.launch({
    executablePath: process.env.TILLER_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

interface OpenedPage {
  page: Page;
  /** Requests, dialogs, messages on the console and errors, as they came. */
  events: string[];
}

async function open(html: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const path = join(folder, "page.html");
  writeFileSync(path, html);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const events: string[] = [];
  const url = pathToFileURL(path).href;
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) events.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    events.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => events.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => events.push(`error: ${error.message}`));
  page.on("framenavigated", (frame) => {
    if (frame.url() !== url) events.push(`navigation: ${frame.url()}`);
  });
  await page.goto(url, { waitUntil: "load" });
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  return { page, events };
}

/** The value of an expression about `one`, for each element that fits. */
function ofEach(page: Page, selector: string, expression: string): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => ${expression})`);
}

const HOSTILE_TEXTS = [
  ...HOSTILE,
  "</title></style></code></pre></details><script>window.broken = 1</script>",
  "<!--><script>window.broken = 1</script>-->",
  "]]><script>window.broken = 1</script><![CDATA[",
  "'\"><img src=x onerror=window.broken=1>",
  "</div></section></main><iframe srcdoc='<script>parent.broken=1</script>'></iframe>",
  "<details open ontoggle=window.broken=1><summary onfocus=window.broken=1 autofocus>x</summary></details>",
  '[x](https://a.example/"onmouseover="window.broken=1 \'y" onclick="window.broken=1\')',
  '![x](data:image/png;base64,AAAA"onload="window.broken=1)',
  "[link](data:image/png;base64,AAAA) <data:text/html,<script>window.broken=1</script>>",
  "\u2028<script>\u0000window.broken = 1</script>\uFFFE",
  "<scr\u0000ipt>window.broken = 1</scr\u001b[0mipt>",
];

/** One hostile text in every place that a session has for text. */
function everywhere(text: string) {
  const call = {
    type: "toolCall" as const,
    id: text,
    name: text,
    arguments: { path: text, [text]: { deep: [text] } },
    intent: text,
  };
  const attachment = { id: text, type: "image" as const, fileName: text, mimeType: text, size: 1, content: text };
  const told = said({
    role: "user",
    content: [{ type: "image", data: text, mimeType: `image/png${text}` }],
    timestamp: 1,
    attachments: [attachment, { ...attachment, mimeType: "image/png" }],
  });
  const failed = assistant({ type: "thinking", thinking: text }, { type: "text", text }, call);
  if (failed.type !== "message" || failed.message.role !== "assistant") throw new Error("not an answer");
  return [
    user(text),
    told,
    said({ ...failed.message, model: text, provider: text, stopReason: "error", errorMessage: text }),
    toolResult(text, text, { diff: `+${text}\n-${text}\n${text}` }),
    toolResult("other", text),
    said({ role: "bashExecution", command: text, output: text, cancelled: false, truncated: true, timestamp: 1 }),
    { type: "compaction" as const, summary: text, firstKeptEntryId: text, tokensBefore: 1 },
    { type: "branch_summary" as const, fromId: text, summary: text },
    { type: "custom_message" as const, customType: text, content: text, display: true },
    { type: "session_info" as const, name: text },
  ];
}

describe("an exported page with hostile content", () => {
  it("runs no script, requests nothing and opens nothing", async () => {
    const { page, events } = await open(pageOf(entriesOf(...HOSTILE_TEXTS.flatMap(everywhere))));
    expect(await page.evaluate("window.broken")).toBeUndefined();
    const active =
      "script, iframe, object, embed, form, input, svg, base, link, audio, video, [srcset], [srcdoc], [style*=url]";
    expect(await page.locator(active).count()).toBe(0);
    expect(await page.locator("meta[http-equiv]").count()).toBe(1);
    expect(await page.locator("style").count()).toBe(1);
    const attributes = await ofEach(page, "*", "one.getAttributeNames().join(' ')");
    expect(new Set(Array.isArray(attributes) ? attributes.map(String) : []).size).toBeGreaterThan(5);
    expect(String(attributes)).not.toMatch(/\bon[a-z]+\b/);
    expect(events).toEqual([]);
    await page.context().close();
  });

  it("keeps its own structure", async () => {
    const { page } = await open(pageOf(entriesOf(...HOSTILE_TEXTS.flatMap(everywhere))));
    expect(await ofEach(page, "body > *", "one.localName")).toEqual(["header", "main", "footer"]);
    expect(await page.locator("main > :not(section.entry):not(details.turn)").count()).toBe(0);
    await page.context().close();
  });

  it("has links to http, https and mailto only, without a referrer", async () => {
    const texts = [
      ...HOSTILE_TEXTS,
      "[a](https://a.example) [b](http://b.example) <c@d.example> https://e.example/f [g](file:///etc/passwd) [h](/i) [j](#k)",
    ];
    const { page } = await open(pageOf(entriesOf(...texts.map(answer))));
    const links: unknown = await ofEach(page, "a[href]", "one.protocol + ' ' + one.rel");
    expect(new Set(Array.isArray(links) ? links : [])).toEqual(
      new Set(["https: noopener noreferrer", "http: noopener noreferrer", "mailto: noopener noreferrer"]),
    );
    expect(await page.getByText("[h](/i)").count()).toBe(1);
    await page.context().close();
  });

  it("shows embedded images and replaces external ones by links", async () => {
    const { page, events } = await open(
      pageOf(entriesOf(answer(`![own](data:image/png;base64,${PNG}) ![theirs](https://evil.example/x.png)`))),
    );
    expect(await ofEach(page, "img", "one.naturalWidth")).toEqual([1]);
    expect(await page.locator("a[href='https://evil.example/x.png']").textContent()).toBe("theirs");
    expect(events).toEqual([]);
    await page.context().close();
  });
});

describe("the layout of an exported page", () => {
  const read = { type: "toolCall" as const, id: "c1", name: "read", arguments: { path: "src/parser.ts" } };
  const edit = { type: "toolCall" as const, id: "c2", name: "edit", arguments: { path: "src/parser.ts" } };
  const long = `const wide = "${"x".repeat(300)}";`;
  const entries = entriesOf(
    user("The parser fails when a quoted cell has a line feed in it.\n\nPlease fix it & add a test."),
    assistant(
      { type: "thinking", thinking: "First I look at the **parser**." },
      { type: "text", text: "I will read it first." },
      read,
    ),
    toolResult("c1", `${long}\nexport function parse() {}\n`),
    assistant(edit),
    toolResult("c2", "Done.", {
      diff: ` 1 export function parse() {\n-2   return split(text);\n+2   return rows(text);\n 3 } // ${long}`,
    }),
    answer(
      `## Changed\n\n- \`parse\` reads **rows**\n- done\n\n\`\`\`ts\n${long}\n\`\`\`\n\n| case | ${"before ".repeat(20)} |\n|---|--:|\n| a | 1 |\n`,
    ),
    said({
      role: "bashExecution",
      command: "npm test",
      output: "ok\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    }),
    { type: "compaction", summary: "The parser was rewritten.", firstKeptEntryId: "e0", tokensBefore: 123_456 },
    user(`And ${"a-very-long-word".repeat(20)}?`),
  );

  it.each([
    { name: "light", colorScheme: "light" as const, width: 1000, background: "rgb(251, 250, 247)" },
    { name: "dark", colorScheme: "dark" as const, width: 1000, background: "rgb(20, 25, 27)" },
    { name: "phone", colorScheme: "light" as const, width: 320, background: "rgb(251, 250, 247)" },
  ])("fits $name", async ({ name, colorScheme, width, background }) => {
    const { page } = await open(pageOf(entries), { colorScheme, viewport: { width, height: 2400 } });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    await page.context().close();
  });

  it("is complete without network and scripts, and folded cards can be opened", async () => {
    const { page } = await open(pageOf(entries), { offline: true });
    await page.context().close();
    const context = await browser.newContext({ offline: true, javaScriptEnabled: false });
    const still = await context.newPage();
    await still.goto(pathToFileURL(join(folder, "page.html")).href);
    const result = still.getByText("export function parse() {}");
    expect(await result.isVisible()).toBe(false);
    await still.locator("summary", { hasText: "read" }).first().click();
    expect(await result.isVisible()).toBe(true);
    await context.close();
  });
});
