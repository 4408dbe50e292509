import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Places } from "../../agent/bundled/approvals/places.ts";
import { PLANTS, REMOVED } from "./hostile-plants.ts";
import { SHIMS } from "./hostile-shims.ts";

/** A process substitution may end after the shell. */
const GRACE_MS = 1000;
const TIMEOUT_S = "5";
const MAX_PRINTED = 1_000_000;

/** A throw-away workspace in which a hostile command may run. */
export interface HostileWorkspace {
  root: string;
  cwd: string;
  places: Places;
}

/** The effects of a command. */
export interface Effect {
  printed: string;
  /** Files whose name begins with PWN, wherever in the root. */
  touched: string[];
  /** Programs of the project or the machine that were recorded, with their arguments. */
  ran: Map<string, string>;
  /** True when something connected to the listener, or a program that opens connections was run. */
  isConnected: boolean;
}

const SECRETS: Record<string, string> = {
  "home/.ssh/id_rsa": "SECRET-KEY\n",
  "home/.aws/credentials": "SECRET-AWS\n",
  "home/list0": "SECRET-LIST\0",
  "home/prog": "SECRET-PROG\n",
  "other/secret.txt": "SECRET-OTHER\n",
  "other/notes.txt": "SECRET-NOTES\n",
  "other/SECRET-NAME": "",
  "ws/.env": "TOKEN=SECRET-ENV\n",
};
const FILES: Record<string, string> = {
  "ws/package.json": '{"name":"victim","scripts":{"test":"echo ok","build":"echo built"}}\n',
  "ws/src/a.ts": "export const one = 1;\n",
  "ws/src/b.ts": "export const two = 2;\n",
  "ws/README.md": "# Victim\nhello foo\n",
  "ws/evil.sh": "#!/bin/sh\n: > PWN-evil\n",
  "ws/evil.cjs": 'require("node:fs").writeFileSync("PWN-cjs", "");\n',
  "ws/secrets.list": "../other/secret.txt\0",
  "ws/names.txt": "../other/secret.txt\n",
  "home/.gitconfig":
    '[user]\n\tname = A\n\temail = a@b\n[init]\n\tdefaultBranch = main\n[protocol "ext"]\n\tallow = always\n',
};

/** Makes the folder that every row gets a copy of. */
export function hostileTemplate(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-hostile-")));
  for (const folder of ["ws", "home/.tiller/agent", "other", "tmp", "bin", "log"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries({ ...FILES, ...SECRETS })) plantFile(root, path, text);
  for (const [names, body] of Object.entries(SHIMS)) {
    for (const name of names.split(" ")) {
      writeFileSync(join(root, "bin", name), `#!/bin/bash\n${RECORD}${body}\n`, { mode: 0o755 });
    }
  }
  symlinkSync(process.execPath, join(root, "bin", "node"));
  symlinkSync("../other", join(root, "ws", "out"));
  symlinkSync("../other/secret.txt", join(root, "ws", "readme.link"));
  symlinkSync("../other/PWN-dangling", join(root, "ws", "dangling"));
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: join(root, "ws"), env: environment(root), stdio: "ignore" });
  git("init", "-q", "--template=");
  git("add", "src", "package.json", "README.md");
  git("commit", "-qm", "first");
  return root;
}

const RECORD = `shim_root="\${BASH_SOURCE[0]%/bin/*}"; shim_name="\${0##*/}"
printf '%q ' "$@" >> "$shim_root/log/$shim_name"; echo >> "$shim_root/log/$shim_name"
PATH="$shim_root/bin:/usr/bin:/bin"
`;

/** Copies the template. @param plants names of what is planted in it. */
export function hostileWorkspace(template: string, plants: readonly string[]): HostileWorkspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-hostile-")));
  for (const folder of ["ws", "home", "other"])
    cpSync(join(template, folder), join(root, folder), { recursive: true, verbatimSymlinks: true });
  for (const folder of ["log", "tmp"]) mkdirSync(join(root, folder));
  symlinkSync(join(template, "bin"), join(root, "bin"));
  for (const name of plants) {
    const files = PLANTS[name];
    if (files === undefined) throw new Error(`nothing is called ${name} that could be planted`);
    for (const [path, text] of Object.entries(files))
      plantFile(join(root, "ws"), path, text.replaceAll("<root>", root));
  }
  const cwd = join(root, "ws");
  const home = join(root, "home");
  const places = new Places({ cwd, agentDir: join(home, ".tiller", "agent"), home, temporary: [join(root, "tmp")] });
  return { root, cwd, places };
}

function plantFile(folder: string, path: string, text: string): void {
  const full = join(folder, path);
  if (text === REMOVED) {
    rmSync(full, { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(full), { recursive: true });
  if (text.startsWith("-> ")) symlinkSync(text.slice(3), full);
  else writeFileSync(full, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
}

function environment(root: string): NodeJS.ProcessEnv {
  return {
    HOME: join(root, "home"),
    PATH: `${join(root, "bin")}:/usr/bin:/bin`,
    TMPDIR: join(root, "tmp"),
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    PARENT_TOKEN: "SECRET-PARENT",
  };
}

/** The content of a workspace, which shows whether a command changed it. */
function stateOf({ root }: HostileWorkspace): Map<string, string> {
  const state = new Map<string, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const { mtimeMs, size, ino, mode, isDirectory } = factsOf(join(root, path));
    state.set(path, isDirectory ? `${ino} ${mode}` : `${mtimeMs} ${size} ${ino} ${mode}`);
  }
  return state;
}

function factsOf(path: string) {
  const facts = lstatSync(path);
  return { ...facts, mtimeMs: facts.mtimeMs, isDirectory: facts.isDirectory() };
}

/** Provides workspaces. One in which a command has only added files is reused. */
export class WorkspacePool {
  readonly #template: string;
  readonly #idle: { workspace: HostileWorkspace; state: Map<string, string> }[] = [];

  constructor(template: string) {
    this.#template = template;
  }

  /** Calls `use` with a workspace. @param plants files to plant in it; a workspace with plants is created for this call only. */
  async use<T>(plants: readonly string[], use: (workspace: HostileWorkspace) => Promise<T>): Promise<T> {
    const idle = plants.length === 0 ? this.#idle.pop() : undefined;
    const workspace = idle?.workspace ?? hostileWorkspace(this.#template, plants);
    const state = idle?.state ?? stateOf(workspace);
    const result = await use(workspace);
    if (plants.length === 0 && isRestored(workspace, state)) this.#idle.push({ workspace, state });
    else removeWorkspace(workspace.root);
    return result;
  }

  /** Removes all workspaces. */
  close(): void {
    for (const { workspace } of this.#idle.splice(0)) removeWorkspace(workspace.root);
  }
}

/** Removes what is new. @returns false when something is missing or has changed. */
function isRestored(workspace: HostileWorkspace, state: Map<string, string>): boolean {
  const after = stateOf(workspace);
  for (const [path, facts] of state) if (after.get(path) !== facts) return false;
  for (const path of after.keys())
    if (!state.has(path)) rmSync(join(workspace.root, path), { recursive: true, force: true });
  return true;
}

/** Runs a command by bash as a tool of the agent would, and looks at what it did. */
export async function runByBash({ root, cwd }: HostileWorkspace, command: string): Promise<Effect> {
  const output = openSync(join(root, "output"), "w");
  // Into a file: what is left behind may hold a pipe open for ever.
  const child = spawn("timeout", ["-k", "1", TIMEOUT_S, "/bin/bash", "-c", command], {
    cwd,
    env: environment(root),
    stdio: ["ignore", output, output],
    detached: true,
  });
  closeSync(output);
  await new Promise<void>((resolve, reject) => child.once("error", reject).once("exit", () => resolve()));
  if (child.pid !== undefined) await endGroup(child.pid, () => touchedIn(root).length > 0);
  const printed = readFileSync(join(root, "output"), "latin1").slice(0, MAX_PRINTED);
  const log = join(root, "log");
  const ran = new Map(readdirSync(log).map((name): [string, string] => [name, readFileSync(join(log, name), "utf8")]));
  return { printed, touched: touchedIn(root), ran, isConnected: ran.has("net") };
}

/** Waits until the processes that a command has left running have done harm or a second is over, then ends them. */
async function endGroup(pid: number, hasDoneHarm: () => boolean): Promise<void> {
  const isRunning = () => signalGroup(pid, 0) && !hasDoneHarm();
  for (const end = performance.now() + GRACE_MS; isRunning() && performance.now() < end; ) await delay(20);
  signalGroup(pid, "SIGKILL");
}

/** @returns false when nothing is left of the group. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function touchedIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /(^|\/)PWN[^/]*$/.test(path));
}

/** A port of this machine that counts who connects. */
export interface Listener {
  port: number;
  /** True if a connection was made before this call. */
  isConnected(): Promise<boolean>;
  close(): void;
}

/** Starts a listener. */
export async function listener(): Promise<Listener> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.on("error", () => undefined).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  const { port } = address;
  return {
    port,
    async isConnected() {
      // Connections are reported in order, so this one is the last.
      await new Promise<void>((resolve) =>
        connect(port, "127.0.0.1")
          .resume()
          .once("close", () => resolve()),
      );
      return count > 1;
    },
    close: () => server.close(),
  };
}

/** Removes a workspace, or the template. */
export function removeWorkspace(root: string): void {
  if (existsSync(root)) rmSync(root, { recursive: true, force: true });
}
