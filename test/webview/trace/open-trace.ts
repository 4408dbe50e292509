import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { secretFinder } from "../../../agent/util/secrets.ts";
import { TraceFeed, type TraceSource } from "../../../extension/features/trace-view/trace-feed.ts";
import { FromTrace, type ToTrace } from "../../../webview/protocol/trace.ts";
import { pageFiles } from "../support/page-files.ts";

const ORIGIN = "http://127.0.0.1:9";

/** In the page, after `page-side.js`: hands what it posts, and what its policy refuses, to the test. */
const HOST_SIDE = `
  globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => void testPost(message) });
  document.addEventListener("securitypolicyviolation", (event) => testTrespass(event.violatedDirective + " " + event.blockedURI));
`;

/** The page of traces in a real browser, told by the real feed. */
export interface OpenTrace {
  readonly page: Page;
  /** The requests of its buttons. */
  readonly actions: string[];
  /** Security policy violations, addresses asked for outside its own files, and errors. */
  readonly trespasses: string[];
  close(): Promise<void>;
}

/** Starts a browser for `openTrace`. */
export function startBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
  return chromium.launch({ executablePath: process.env.TILLER_CHROMIUM ?? "/usr/bin/chromium", args });
}

/** Built anew from the source, once for all tests of a file. */
let files: ReturnType<typeof pageFiles> | undefined;

/** Opens the page of a trace. */
export async function openTrace(
  browser: Browser,
  source: TraceSource,
  size = { width: 900, height: 600 },
): Promise<OpenTrace> {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  const actions: string[] = [];
  const trespasses: string[] = [];
  files ??= pageFiles("trace", ORIGIN);
  const built = await files;
  await page.route("**/*", (route) => {
    const { pathname, origin } = new URL(route.request().url());
    const file = origin === ORIGIN ? built.get(pathname) : undefined;
    if (file !== undefined) return route.fulfill(file);
    trespasses.push(route.request().url());
    return route.abort();
  });
  page.on("pageerror", (error) => trespasses.push(error.message));
  const feed = new TraceFeed({
    source,
    find: secretFinder([]),
    send: (message: ToTrace) => {
      page.evaluate(`window.postMessage(${JSON.stringify(message)}, "*")`).catch(() => undefined); // the page is gone
    },
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  await page.exposeFunction("testPost", (raw: unknown) => {
    const message = FromTrace.parse(raw);
    if (message.type === "do") actions.push(message.action);
    else if (message.type === "pageError") trespasses.push(message.message);
    else feed.receive(message);
  });
  await page.exposeFunction("testTrespass", (text: string) => trespasses.push(text));
  await page.addInitScript({ path: join(import.meta.dirname, "../support/page-side.js") });
  await page.addInitScript({ content: HOST_SIDE });
  await page.goto(`${ORIGIN}/`);
  return {
    page,
    actions,
    trespasses,
    async close() {
      feed.dispose();
      await context.close();
    },
  };
}
