import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, onTestFinished } from "vitest";
import { ScriptedModel } from "../../support/scripted-model.ts";
import type { ReplySource } from "../../support/scripted-replies.ts";
import { EditorServer, type EditorServerOptions, program } from "./editor-server.ts";
import { EditorWindow } from "./editor-window.ts";
import { type ExtensionHost, HostBridge } from "./host-bridge.ts";
import { processesUnder } from "./processes-under.ts";
import { Relay } from "./relay.ts";

/** The project that `npm start` opens: a workspace for tests too. */
export const SAMPLE_WORKSPACE = fileURLToPath(new URL("../../fixtures/sample-workspace", import.meta.url));
const SCREENSHOTS = fileURLToPath(new URL("../screenshots", import.meta.url));

const ACTION_TIMEOUT_MS = 20_000;
const LOAD_TIMEOUT_MS = 60_000;

const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A page that needs anything from outside this machine does not get it.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

interface WorkbenchOptions extends EditorServerOptions {
  /** Without a key the agent runs its demo model. */
  hasKey?: boolean;
}

interface WindowOptions {
  width?: number;
  height?: number;
  /** Default the workspace; `null` opens none. */
  folder?: string | null;
}

/** A running editor, for the tests of one file. */
export class Workbench {
  readonly server: EditorServer;
  readonly #browser: Browser;
  readonly #bridge: HostBridge;
  readonly #relay: Relay;
  readonly #windows: EditorWindow[] = [];
  #shared: EditorWindow | undefined;

  private constructor(parts: { server: EditorServer; browser: Browser; bridge: HostBridge; relay: Relay }) {
    this.server = parts.server;
    this.#browser = parts.browser;
    this.#bridge = parts.bridge;
    this.#relay = parts.relay;
  }

  static async start({ hasKey = true, ...options }: WorkbenchOptions): Promise<Workbench> {
    const relay = await Relay.start();
    const key: Record<string, string> = hasKey ? { ANTHROPIC_API_KEY: "test-key" } : {};
    const server = await EditorServer.start({
      ...options,
      env: { ...key, ANTHROPIC_BASE_URL: relay.url, ...options.env },
    });
    const bridge = new HostBridge(server.bridgeSocket);
    const browser = await chromium.launch({ executablePath: program("TILLER_CHROMIUM"), args: CHROMIUM_ARGS });
    return new Workbench({ server, browser, bridge, relay });
  }

  /** Opens a window with browser storage, and so secrets, of its own. */
  async open({
    width = 1280,
    height = 800,
    folder = this.server.workspace,
  }: WindowOptions = {}): Promise<EditorWindow> {
    const context = await this.#browser.newContext({
      viewport: { width, height },
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"], // Reading the clipboard hangs without.
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const page = await context.newPage();
    const consoleProblems: string[] = [];
    page.on("pageerror", (error) => consoleProblems.push(String(error)));
    page.on("console", (message) => {
      if (!/^(?:warning|error)$/.test(message.type())) return;
      consoleProblems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    const load = (navigate: () => Promise<unknown>) => this.#load(page, navigate);
    const host = await load(() =>
      page.goto(this.server.windowUrl(folder ?? undefined), { timeout: LOAD_TIMEOUT_MS }),
    ).catch(async (error: unknown) => {
      await this.screenshot(page, `not-loaded-${Date.now()}`);
      await context.close(); // It would take time from the windows of the tests that follow.
      throw error;
    });
    const opened = new EditorWindow(page, { host, load, consoleProblems });
    this.#windows.push(opened);
    return opened;
  }

  /** Opens a window with the chat in front. */
  async openChat(options: WindowOptions = {}): Promise<EditorWindow> {
    const opened = await this.open(options);
    await opened.showChat();
    return opened;
  }

  /**
   * A new conversation, alone in the one window that the tests of a file share: to load one takes longer than most tests. Settings, storage and
   * the idle agents of earlier tests are still there; what needs a window of its own opens one.
   */
  async newChat(): Promise<EditorWindow> {
    if (this.#shared === undefined) {
      this.#shared = await this.openChat();
      return this.#shared;
    }
    await this.#shared.tidy();
    return this.#shared;
  }

  /** Starts a model server with a script for the running test; at the test's end all of the script must have been used. */
  async script(...replies: ReplySource[]): Promise<ScriptedModel> {
    const model = await ScriptedModel.start(replies);
    onTestFinished(() => model.stop());
    this.#relay.pointTo(model.url);
    return model;
  }

  /** The agents that this editor has running, by process id. */
  agents(): Promise<number[]> {
    return this.processes("--mode rpc");
  }

  /** The processes that this editor has started and whose command line holds `text`. */
  processes(text: string): Promise<number[]> {
    return processesUnder(this.server.home, text);
  }

  /** Takes an image of a window into the folder of screenshots, or to another file. */
  async screenshot(page: Page, name: string, file = join(SCREENSHOTS, `${name}.png`)): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    await page.screenshot({ path: file });
  }

  /** Closes the windows but the shared one; after a failed test all of them, leaves images of them and prints the logs. */
  async closeWindows(failedTest: string | undefined): Promise<void> {
    const kept = failedTest === undefined && !this.#shared?.page.isClosed() ? this.#shared : undefined;
    this.#shared = kept;
    const closing = this.#windows.splice(0).filter((opened) => opened !== kept);
    if (kept !== undefined) this.#windows.push(kept);
    for (const [index, opened] of closing.entries()) {
      if (failedTest !== undefined && !opened.page.isClosed()) {
        const name = `failed-${failedTest.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 80)}-${index}`;
        await this.screenshot(opened.page, name);
        console.error(`Screenshot: test/e2e/screenshots/${name}.png\n${await this.server.logs()}`);
      }
      await opened.close();
    }
    if (failedTest !== undefined) await this.#endWhatWindowsRan();
  }

  /** Processes of a failed test would disturb its second try: the server keeps the closed window's extensions and terminals. */
  async #endWhatWindowsRan(): Promise<void> {
    const kept = await Promise.all(["--type=extensionHost", "--type=ptyHost"].map((text) => this.processes(text)));
    for (const pid of kept.flat()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    this.#bridge.close();
    await this.server.stop();
    await this.#relay.close();
  }

  async #load(page: Page, navigate: () => Promise<unknown>): Promise<ExtensionHost> {
    const host = this.#bridge.nextHost();
    host.catch(() => {}); // Awaited below, after the page.
    await navigate();
    // Before this mark contributed views are not there and the keyboard does nothing.
    await page.waitForFunction('performance.getEntriesByName("code/didLoadExtensions").length > 0', undefined, {
      timeout: LOAD_TIMEOUT_MS,
    });
    return host;
  }
}

/** Gives a test file an editor, started before its first test; each test's windows but the shared one are closed after it. */
export function useWorkbench(options: WorkbenchOptions = {}): () => Workbench {
  let workbench: Workbench | undefined;
  beforeAll(async () => {
    workbench = await Workbench.start(options);
  });
  afterEach(async ({ task }) => {
    await workbench?.closeWindows(task.result?.state === "fail" ? task.name : undefined);
  });
  afterAll(() => workbench?.stop());
  return () => {
    if (workbench === undefined) throw new Error("The editor is started before the first test.");
    return workbench;
  };
}
