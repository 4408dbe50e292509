import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { FromUsage, type ToUsage } from "../../../webview/protocol/usage.ts";
import { pageFiles } from "../support/page-files.ts";

const ORIGIN = "http://127.0.0.1:9";

/** In the page, after `page-side.js`: hands what it posts, and what its policy refuses, to the test. */
const HOST_SIDE = `
  globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => void testPost(message) });
  document.addEventListener("securitypolicyviolation", (event) => testTrespass(event.violatedDirective + " " + event.blockedURI));
`;

/** The page of usage in a real browser. */
export interface OpenUsage {
  readonly page: Page;
  /** The messages that it posted. */
  readonly posts: FromUsage[];
  /** Security policy violations, addresses asked for outside its own files, and errors. */
  readonly trespasses: string[];
  send(message: ToUsage): Promise<unknown>;
  close(): Promise<void>;
}

/** Built anew from the source, once for all tests of a file. */
let files: ReturnType<typeof pageFiles> | undefined;

/** Opens the page, before it has anything to show. */
export async function openUsage(browser: Browser, size = { width: 900, height: 1200 }): Promise<OpenUsage> {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  const posts: FromUsage[] = [];
  const trespasses: string[] = [];
  files ??= pageFiles("usage", ORIGIN);
  const built = await files;
  await page.route("**/*", (route) => {
    const { pathname, origin } = new URL(route.request().url());
    const file = origin === ORIGIN ? built.get(pathname) : undefined;
    if (file !== undefined) return route.fulfill(file);
    trespasses.push(route.request().url());
    return route.abort();
  });
  page.on("pageerror", (error) => trespasses.push(error.message));
  await page.exposeFunction("testPost", (raw: unknown) => posts.push(FromUsage.parse(raw)));
  await page.exposeFunction("testTrespass", (text: string) => trespasses.push(text));
  await page.addInitScript({ path: join(import.meta.dirname, "../support/page-side.js") });
  await page.addInitScript({ content: HOST_SIDE });
  await page.goto(`${ORIGIN}/`);
  return {
    page,
    posts,
    trespasses,
    send: (message) => page.evaluate(`window.postMessage(${JSON.stringify(message)}, "*")`),
    close: () => context.close(),
  };
}
