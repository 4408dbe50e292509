import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import quietSettings from "../../../scripts/lib/editor-settings.json" with { type: "json" };
import { withDeadline } from "./deadline.ts";
import { installLanguagePack } from "./language-pack.ts";

const START_DEADLINE_MS = 60_000;
const LOG_TAIL_CHARS = 4_000;
const BRIDGE = fileURLToPath(new URL("../bridge", import.meta.url));

/** How an editor is set up before its first window. */
export interface EditorServerOptions {
  settings?: Record<string, unknown>;
  /** The workspace folder's files by path, or a folder to copy. */
  files?: Record<string, string> | string;
  env?: Record<string, string>;
  /** The language of the window; the editor's own interface stays English. */
  language?: string;
  /** The folders of other extensions to install. */
  extensions?: readonly string[];
  /** Ask before trusting a folder; off, all are trusted. */
  hasWorkspaceTrust?: boolean;
}

/** VS Code's server in a scratch folder: a profile, a home and a workspace of its own, the packaged extension and the test bridge. */
export class EditorServer {
  readonly root: string;
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(root: string, url: string, child: ChildProcess) {
    this.root = root;
    this.url = url;
    this.#process = child;
  }

  static async start(options: EditorServerOptions = {}): Promise<EditorServer> {
    const root = await mkdtemp(join(tmpdir(), "tiller-e2e-"));
    try {
      await prepare(root, options);
      const env = {
        ...process.env,
        HOME: homeIn(root),
        EXTENSIONS_GALLERY: "{}", // Without it every window asks a marketplace.
        TILLER_TEST_BRIDGE: bridgeIn(root),
        ...options.env,
      };
      const trust = options.hasWorkspaceTrust ? [] : ["--disable-workspace-trust"];
      const language = options.language === undefined ? [] : ["--locale", options.language];
      const child = spawn(
        program("TILLER_CODE_SERVER_NODE"),
        [...profileOptions(root), ...SERVER_OPTIONS, ...trust, ...language],
        {
          env,
          detached: true,
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      const url = await addressOf(child);
      return new EditorServer(root, url, child);
    } catch (error) {
      await rm(root, { recursive: true, force: true });
      throw error;
    }
  }

  get home(): string {
    return homeIn(this.root);
  }

  get workspace(): string {
    return workspaceIn(this.root);
  }

  get bridgeSocket(): string {
    return bridgeIn(this.root);
  }

  /** The address of a window on `folder`, which may be a file that names several, or of one without a folder. */
  windowUrl(folder: string | undefined): string {
    const url = new URL(this.url);
    if (folder === undefined) url.searchParams.set("ew", "true");
    else if (folder.endsWith(".code-workspace")) url.searchParams.set("workspace", folder);
    else url.searchParams.set("folder", folder);
    return url.href;
  }

  /** The last lines of what the extension logged. */
  async logs(): Promise<string> {
    const folder = join(this.root, "user/logs");
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const wanted = names.filter((name) => /Tiller[^/]*\.log$/.test(name));
    const texts = await Promise.all(
      wanted.map(async (name) => `${name}\n${(await readFile(join(folder, name), "utf8")).slice(-LOG_TAIL_CHARS)}`),
    );
    return texts.join("\n");
  }

  /** Ends the server with all that it started, and removes its folder. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, "exit");
      killGroup(this.#process);
      await exited;
    }
    await rm(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const SERVER_OPTIONS = [
  "--auth",
  "none",
  "--bind-addr",
  "127.0.0.1:0",
  "--disable-telemetry",
  "--disable-update-check",
  "--disable-getting-started-override",
];

async function prepare(
  root: string,
  { settings = {}, files = { "hello.txt": "hello\n" }, extensions = [], language }: EditorServerOptions,
): Promise<void> {
  await mkdir(homeIn(root));
  await writeFile(join(root, "config.yaml"), "{}\n");
  // Settings of the machine's scope, such as the agent's command, count for sure only in the machine's own file.
  for (const folder of ["User", "Machine"]) {
    await mkdir(join(root, "user", folder), { recursive: true });
    await writeFile(join(root, "user", folder, "settings.json"), JSON.stringify({ ...quietSettings, ...settings }));
  }
  if (typeof files === "string") await cp(files, workspaceIn(root), { recursive: true });
  else await writeAll(workspaceIn(root), files);
  if (language !== undefined) {
    await installLanguagePack(language, { extensions: join(root, "extensions"), profile: join(root, "user") });
  }
  // A folder that is there before the editor's first look at its extensions counts as installed.
  const installed = program("TILLER_EXTENSION");
  await cp(installed, join(root, "extensions", basename(installed)), { recursive: true });
  for (const folder of [BRIDGE, ...extensions]) {
    await cp(folder, join(root, `extensions/tiller-test.${basename(folder)}-0.0.1`), { recursive: true });
  }
}

async function writeAll(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  process.once("exit", () => killGroup(child));
  // The test runner was killed, so nothing else ends the editor.
  process.once("disconnect", () => process.exit(1));
  const tail: string[] = [];
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        tail.push(line);
        if (tail.length > 50) tail.shift();
        const found = /HTTP server listening on (\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`code-server ended with ${code}:\n${tail.join("\n")}`)));
  });
  return withDeadline(address, START_DEADLINE_MS, () => `code-server to listen:\n${tail.join("\n")}`);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of the group has ended.
  }
}

function profileOptions(root: string): string[] {
  return [
    program("TILLER_CODE_SERVER"),
    "--config",
    join(root, "config.yaml"),
    "--user-data-dir",
    join(root, "user"),
    "--extensions-dir",
    join(root, "extensions"),
  ];
}

/** The files that the test script found or installed. */
export function program(
  name: "TILLER_CODE_SERVER" | "TILLER_CODE_SERVER_NODE" | "TILLER_CHROMIUM" | "TILLER_EXTENSION",
): string {
  const file = process.env[name];
  if (file === undefined) throw new Error(`${name} is not set: run the editor tests by npm run test:e2e.`);
  return file;
}

function homeIn(root: string): string {
  return join(root, "home");
}

function workspaceIn(root: string): string {
  return join(root, "workspace");
}

function bridgeIn(root: string): string {
  return join(root, "bridge.sock");
}
