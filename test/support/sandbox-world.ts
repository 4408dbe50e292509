import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import type { Containment } from "../../agent/tools/contained.ts";
import { looksSecret } from "../../agent/util/secret-files.ts";
import { makeOutsideFolder } from "./outside-folder.ts";

/** Stands in every secret of the world. */
export const SECRET = "PLANTED-SECRET-7f3a";

/** What a command printed, and how it ended. */
export interface Ran {
  output: string;
  exitCode: number | null;
}

/**
 * A home folder with secrets, another project, a workspace, a process, and servers that take whatever reaches them; commands run in a sandbox of
 * the workspace.
 */
export class SandboxWorld {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly other: string;
  readonly sandbox: Sandbox;
  /** The port of a server on all addresses of this machine. */
  port = 0;
  /** What the servers got. */
  received = "";
  readonly bystander: ChildProcess;
  readonly #env: NodeJS.ProcessEnv;
  readonly #servers: Server[] = [];

  constructor(mayReach: (host: string) => boolean = () => false) {
    this.folder = makeOutsideFolder();
    const at = (path: string, text: string) => {
      const file = join(this.folder, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
    };
    for (const path of [".ssh/id_rsa", ".aws/credentials", ".gnupg/private", ".kube/config", ".config/gh/hosts.yml"]) {
      at(`home/${path}`, `${SECRET}\n`);
    }
    for (const path of [
      ".netrc",
      ".git-credentials",
      ".bash_history",
      ".mozilla/logins.json",
      ".tiller/auth.json",
      "private/a.txt",
      "diary.txt",
    ]) {
      at(`home/${path}`, `${SECRET}\n`);
    }
    for (const path of [".bashrc", ".profile", ".gitconfig", "notes.txt", ".config/autostart/mail.desktop"]) {
      at(`home/${path}`, "[x]\n");
    }
    at("other/src/a.js", "let a;\n");
    at("work/src/a.js", "let b;\n");
    at("work/package.json", "{}\n");
    at("work/.env", `TOKEN=${SECRET}\n`);
    at("work/packages/api/.env.local", `TOKEN=${SECRET}\n`);
    at("work/.vscode/settings.json", "{}\n");
    [this.home, this.other, this.workspace] = ["home", "other", "work"].map((name) => join(this.folder, name)) as [
      string,
      string,
      string,
    ];
    execFileSync("git", ["init", "-q", this.workspace]);
    at("work/.git/hooks/pre-commit", "#!/bin/sh\n");
    chmodSync(join(this.folder, "work/.git/hooks/pre-commit"), 0o755);
    this.#env = { ...process.env, HOME: this.home, DEPLOY_TOKEN: SECRET, DATABASE_URL: `postgres://u:${SECRET}@db/x` };
    this.bystander = spawn("sleep", ["3600"], { env: { PATH: process.env.PATH, KEY: SECRET }, stdio: "ignore" });
    this.sandbox = new Sandbox({
      roots: [this.workspace],
      home: this.home,
      agentDir: join(this.home, ".tiller"),
      caches: [],
      hidden: ["private", "diary.txt"].map((name) => join(this.home, name)),
      isSecret: looksSecret,
      env: this.#env,
      onTaken: () => undefined,
      mayReach: async ({ host }) => mayReach(host),
    });
  }

  /** Starts the servers. */
  async open(): Promise<void> {
    const take = () =>
      createServer((socket) => {
        socket.on("data", (piece) => {
          this.received += String(piece);
        });
        socket.on("error", () => undefined);
      });
    const [tcp, abstract] = [take(), take()];
    this.#servers.push(tcp, abstract);
    await new Promise<void>((resolve) => tcp.listen(0, "0.0.0.0", resolve));
    const address = tcp.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
    mkdirSync(join(this.home, ".docker/run"), { recursive: true });
    for (const folder of [join(this.home, ".docker/run"), this.other, this.workspace]) {
      const file = take();
      this.#servers.push(file);
      await new Promise<void>((resolve) => file.listen(join(folder, "docker.sock"), resolve));
    }
    await new Promise<void>((resolve) => abstract.listen(`\0tiller-sandbox-${this.port}`, resolve));
  }

  /** Runs a command in the sandbox. */
  async run(command: string, containment: Containment = { isReadOnly: false }): Promise<Ran> {
    const contained = await this.sandbox.contain(containment);
    const program = contained.enter({ shellPath: "/bin/bash", script: command }, this.workspace, this.#env);
    const child = spawn(program.file, program.args, { cwd: "/", env: program.env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece) => {
        output += String(piece);
      });
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
    clearTimeout(timer);
    await contained.end();
    await this.sandbox.contain(containment); // what is done after a command is done before the next one
    return { output, exitCode };
  }

  /** Returns all that commands may not change, with contents, modes, and times: everything but the workspace, and what is protected there. */
  kept(): Map<string, string> {
    const found = new Map<string, string>();
    const isFree = (path: string) =>
      path.startsWith("work/") &&
      !/^work\/(\.git\/(hooks|config|commondir)|(sub|link)\/\.git$|\.(vscode|mcp\.json|claude|tiller|pi|husky|idea|devcontainer)[^/]*$|\.vscode\/)/.test(
        path,
      );
    const walk = (folder: string) => {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        const stats = lstatSync(file);
        const path = relative(this.folder, file);
        const isAside = path.includes(".from-sandbox");
        if (!isFree(path) && !isAside) found.set(path, `${stats.mode} ${contentOf(file)}`);
        if (stats.isDirectory() && !isAside) walk(file);
      }
    };
    walk(this.folder);
    return found;
  }

  async close(): Promise<void> {
    await this.sandbox.end();
    this.bystander.kill("SIGKILL");
    for (const server of this.#servers) server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function contentOf(file: string): string {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return stats.isFile() ? `${stats.mtimeMs} ${readFileSync(file, "utf8")}` : "";
}
