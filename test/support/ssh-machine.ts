import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/**
 * Another machine, as far as an agent can tell: an SSH server on 127.0.0.1 with keys and settings of its own, behind a line that can go silent.
 */
export class SshMachine {
  readonly folder: string;
  readonly #server: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #line: SilentLine;

  private constructor(folder: string, server: ChildProcess, line: SilentLine) {
    this.folder = folder;
    this.#server = server;
    this.#line = line;
    this.#exited = new Promise((resolve) => server.once("close", () => resolve()));
  }

  static async start(): Promise<SshMachine> {
    const folder = mkdtempSync(join(tmpdir(), "tiller-ssh-"));
    for (const key of ["host", "user"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    copyFileSync(join(folder, "user.pub"), join(folder, "authorized"));
    const port = await freePort();
    const line = await SilentLine.open(port);
    writeFileSync(join(folder, "sshd_config"), serverSettings(folder, port));
    writeFileSync(join(folder, "ssh_config"), clientSettings(folder, line.port));
    const server = spawnServer(folder);
    const machine = new SshMachine(folder, server, line);
    try {
      await isListening(server, port);
      return machine;
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  /** A command line, as the setting `tiller.agent.command` has it, for a command of the shell there. */
  commandLine(remoteCommand: string): string {
    return `ssh -F ${join(this.folder, "ssh_config")} box "${remoteCommand}"`;
  }

  /** From now on, nothing that one side sends reaches the other, and neither is told. */
  goSilent(): void {
    this.#line.goSilent();
  }

  async stop(): Promise<void> {
    this.#server.kill();
    await this.#exited;
    await this.#line.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function serverSettings(folder: string, port: number): string {
  return [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PidFile none",
    "ClientAliveInterval 1",
    "ClientAliveCountMax 2",
    "",
  ].join("\n");
}

function clientSettings(folder: string, port: number): string {
  return [
    "Host box",
    "HostName 127.0.0.1",
    `Port ${port}`,
    `User ${userInfo().username}`,
    `IdentityFile ${join(folder, "user")}`,
    "IdentitiesOnly yes",
    "BatchMode yes",
    "StrictHostKeyChecking no",
    `UserKnownHostsFile ${join(folder, "known_hosts")}`,
    "LogLevel ERROR",
    "ServerAliveInterval 1",
    "ServerAliveCountMax 2",
    "",
  ].join("\n");
}

/** Root's server wants a user and a folder of its own, which only the installed package has: it gets them in a view of the file system. */
function spawnServer(folder: string): ChildProcess {
  const sshd = [process.env.TILLER_SSHD ?? "/usr/sbin/sshd", "-D", "-e", "-f", join(folder, "sshd_config")];
  if (process.platform !== "linux" || process.getuid?.() !== 0) return spawnQuiet(sshd);
  const users = join(folder, "passwd");
  const present = readFileSync("/etc/passwd", "utf8");
  writeFileSync(users, /^sshd:/m.test(present) ? present : `${present}sshd:x:65533:65533::/run/sshd:/bin/false\n`);
  const view = ["--dev-bind", "/", "/", "--ro-bind", users, "/etc/passwd", "--tmpfs", "/run", "--dir", "/run/sshd"];
  return spawnQuiet(["bwrap", ...view, "--cap-add", "ALL", "--die-with-parent", "--", ...sshd]);
}

function spawnQuiet([file = "", ...args]: readonly string[]): ChildProcess {
  return spawn(file, args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Resolves when the server has said so; rejects with its words when it ends instead. */
function isListening(server: ChildProcess, port: number): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes(`Server listening on 127.0.0.1 port ${port}`)) resolve();
    });
    server.once("error", reject);
    server.once("close", () => reject(new Error(`The SSH server ended: ${said}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no port."));
      else resolve(address.port);
    });
  });
}

/** Passes bytes on to a port until it goes silent. Later connections work again. */
class SilentLine {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (near) => {
      const far = connect(target, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => this.#sockets.delete(from));
        from.pipe(to);
      }
    });
  }

  static async open(target: number): Promise<SilentLine> {
    const server = createServer();
    return new SilentLine(server, await listen(server), target);
  }

  goSilent(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
