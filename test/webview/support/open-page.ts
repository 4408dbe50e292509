import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { panelHtml } from "../../../extension/editor/panel-html.ts";
import type { Catalogue } from "../../../webview/l10n.ts";
import type { DraftCopy } from "../../../webview/protocol/draft.ts";
import { FromPanel } from "../../../webview/protocol/from-panel.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PatchOp, ToPanel } from "../../../webview/protocol/to-panel.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ASSETS = join(ROOT, "dist/webview");
const NONCE = "n0nceForTests";
const EMPTY_PAGE = "empty";
const READY_LIMIT_MS = 10_000;
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css", ttf: "font/ttf" };

/** A ui as it is while the agent waits for a message. */
export const IDLE_UI: PanelUi = {
  status: "idle",
  modelLabel: "Claude Sonnet 5",
  thinkingLevel: "medium",
  hasThinking: true,
  mode: {
    label: "Ask First",
    icon: "shield",
    hint: "Ask First: the agent asks before running a command or changing a file.",
  },
  steering: [],
  followUp: [],
  widgets: [],
  statuses: [],
  sendOnEnter: true,
  whileRunning: "steer",
};

/** The built page in a real browser, with a host that tests play. */
export interface OpenPage {
  readonly page: Page;
  /** Sends a snapshot with these items; later patches follow on its revision. */
  snapshot(items: TranscriptItem[], ui?: Partial<PanelUi>, draft?: DraftCopy, now?: number): Promise<void>;
  /** Sends one patch and waits until it is drawn. */
  patch(ops: PatchOp[], ui?: Partial<PanelUi>): Promise<void>;
  send(message: ToPanel): Promise<unknown>;
  /** Streams a text piece by piece, each drawn before the next, and then ends it. */
  stream(id: string, pieces: string[]): Promise<void>;
  /** Everything that the page has posted since it was loaded or `forgetPosts` was called. */
  posts(): Promise<FromPanel[]>;
  forgetPosts(): Promise<unknown>;
  /** Security policy violations and addresses asked for outside the page's own files. */
  trespasses(): Promise<string[]>;
  /** Waits until two frames are drawn. */
  settle(): Promise<unknown>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A browser and a server for the page's files. */
export interface PageLab {
  open(size?: { width: number; height: number }): Promise<OpenPage>;
  close(): Promise<void>;
}

/** Starts the lab, with pages in English or in the language of a catalog; builds the page if necessary. */
export async function startPageLab(catalogue: Catalogue = { language: "en", texts: {} }): Promise<PageLab> {
  if (!existsSync(join(ASSETS, "main.js"))) await buildPage();
  const browser = await chromium.launch({
    executablePath: process.env.TILLER_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const server = await serve(catalogue);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The page's server has no port.");
  const tabs = new Tabs(browser, `http://127.0.0.1:${address.port}`);
  return {
    open: (size = { width: 300, height: 640 }) => openPage(tabs, size),
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The tabs of a browser. One that a test is done with serves the next: to make a tab takes four times as long as to load the page. */
class Tabs {
  readonly origin: string;
  readonly #browser: Browser;
  #idle: Page | undefined;

  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    this.origin = origin;
  }

  async take(size: { width: number; height: number }): Promise<Page> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle !== undefined) {
      await idle.setViewportSize(size);
      return idle;
    }
    const context = await this.#browser.newContext({ viewport: size });
    const page = await context.newPage();
    await page.addInitScript({ path: join(import.meta.dirname, "page-side.js") });
    return page;
  }

  /** Takes a tab back, and from it all that it was given. */
  async give(page: Page): Promise<void> {
    if (this.#idle === undefined && (await this.#isEmptied(page))) this.#idle = page;
    else await page.context().close();
  }

  async #isEmptied(page: Page): Promise<boolean> {
    page.removeAllListeners();
    try {
      await page.mouse.move(-1, -1);
      await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null });
      // Pages may keep something while they are left, so that it can be taken away only afterwards.
      await page.goto(`${this.origin}/${EMPTY_PAGE}`);
      await page.evaluate("sessionStorage.clear()");
      return true;
    } catch {
      return false; // a test has killed it
    }
  }
}

async function openPage(tabs: Tabs, size: { width: number; height: number }): Promise<OpenPage> {
  const page = await tabs.take(size);
  const strayRequests: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${tabs.origin}/`) && !url.startsWith("data:")) strayRequests.push(url);
  });
  page.on("pageerror", (error) => strayRequests.push(`page error: ${error.message}`));
  await page.goto(`${tabs.origin}/`);
  await waitForReady(page);
  let revision = 0;
  let ui = IDLE_UI;
  const settle = () => inPage(page, "drawn");
  const send = (message: ToPanel) => inPage(page, "send", message);
  return {
    page,
    settle,
    send,
    async snapshot(items, change = {}, draft = { chat: "c1", text: "", at: 0 }, now = Date.now()) {
      revision += 1;
      ui = { ...IDLE_UI, ...change };
      await send({ type: "snapshot", version: 1, revision, items, ui, draft, now });
    },
    async patch(ops, change) {
      revision += 1;
      if (change) ui = { ...ui, ...change };
      await send({ type: "patch", revision, ops, ...(change ? { ui } : {}) });
    },
    async stream(id, pieces) {
      const messages: ToPanel[] = pieces.map((text, index) => ({
        type: "patch",
        revision: revision + 1 + index,
        ops: [{ op: "append", id, text }],
      }));
      await inPage(page, "sendEach", messages);
      revision += pieces.length + 1;
      await send({ type: "patch", revision, ops: [{ op: "finish", id }] });
    },
    async posts() {
      const posts: unknown = await page.evaluate("testSide.posts");
      return FromPanel.array().parse(posts);
    },
    forgetPosts: () => page.evaluate("testSide.posts.length = 0"),
    async trespasses() {
      const violations: unknown = await page.evaluate("testSide.violations");
      return [...strayRequests, ...(Array.isArray(violations) ? violations.map(String) : [])];
    },
    async reload() {
      await page.reload();
      await waitForReady(page);
      revision = 0;
    },
    close: () => tabs.give(page),
  };
}

async function waitForReady(page: Page): Promise<void> {
  const deadline = Date.now() + READY_LIMIT_MS;
  while (!(await page.evaluate("testSide.posts.some((post) => post.type === 'ready')"))) {
    if (Date.now() > deadline) throw new Error("The page did not say that it is ready.");
    await inPage(page, "drawn");
  }
}

/** Calls one of the functions of `page-side.js` in the page. Arguments and result are JSON. */
export async function inPage(page: Page, name: string, ...args: unknown[]): Promise<unknown> {
  return page.evaluate(`testSide.${name}(${args.map((arg) => JSON.stringify(arg)).join(", ")})`);
}

async function buildPage(): Promise<void> {
  await promisify(execFile)(process.execPath, ["esbuild.mjs"], { cwd: ROOT });
}

async function serve(catalogue: Catalogue): Promise<Server> {
  const files = new Map<string, Buffer>();
  // Held in memory, so that a build beside the tests does not take them away.
  for (const name of await readdir(ASSETS)) files.set(name, await readFile(join(ASSETS, name)));
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://127.0.0.1").pathname.slice(1);
    if (name === "") {
      const origin = `http://${request.headers.host}`;
      const assets = {
        mainScript: "main.js",
        styleSheet: "panel.css",
        toolkitScript: "toolkit.min.js",
        cspSource: origin,
      };
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(panelHtml(assets, catalogue, NONCE));
      return;
    }
    if (name === EMPTY_PAGE) {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end("<!doctype html>");
      return;
    }
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (!/^[\w.-]+$/.test(name) || type === undefined) {
      response.writeHead(404).end();
      return;
    }
    const body = files.get(name);
    if (body === undefined) response.writeHead(404).end();
    else response.setHeader("content-type", type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
