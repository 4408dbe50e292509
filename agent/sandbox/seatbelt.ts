import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import type { ContainedProgram, ShellScript } from "../tools/contained.ts";
import { containedEnv } from "./contained-env.ts";
import type { SandboxPolicy } from "./policy.ts";
import { portOf } from "./port-relay.ts";
import { SandboxProxy } from "./proxy.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import type { Stand, StandingOptions } from "./standing.ts";

const SELF_TEST_MS = 10_000;
/** A command that ended with an error. */
const Failed = z.lazy(() => z.object({ stdout: z.string() }));
const SECRET = "seatbelt-self-test";
/** Sets limits where the system has them, enters a folder, and runs the words that follow it. */
const ENTER = 'ulimit -u 4096 2>/dev/null; cd -- "$1" || exit; shift; exec "$@"';

/** A sandbox of macOS: each command gets the profile of a policy. What commands start in the background keeps it. */
export class Seatbelt implements Stand {
  readonly policy: SandboxPolicy;
  readonly proxyAddress: string | undefined;
  readonly refusedHosts: readonly string[];
  readonly isRunning = true;
  readonly #words: readonly string[];
  readonly #folder: string;
  readonly #proxy: SandboxProxy | undefined;
  #running = 0;

  private constructor(
    words: readonly string[],
    options: StandingOptions,
    proxy: SandboxProxy | undefined,
    refused: string[],
  ) {
    this.policy = options.policy;
    this.proxyAddress = proxy?.address;
    this.refusedHosts = refused;
    this.#words = words;
    this.#folder = options.folder;
    this.#proxy = proxy;
  }

  /** @param file the path of `sandbox-exec`. */
  static async start(file: string, options: StandingOptions): Promise<Seatbelt> {
    const { policy, isReadOnly, env, mayReach } = options;
    const refused: string[] = [];
    const onRefused = (host: string) => void refused.push(host);
    const proxy = mayReach && (await SandboxProxy.start(["/usr/bin/env"], { env, isAllowed: mayReach, onRefused }));
    const proxyPort = proxy && Number(proxy.address.split(":")[1]);
    const folder = await realpath(options.folder);
    const profile = seatbeltProfile(policy, { folder, isReadOnly, proxyPort });
    return new Seatbelt([file, "-p", profile], { ...options, folder }, proxy, refused);
  }

  enter({ shellPath, script }: ShellScript, cwd: string, env: NodeJS.ProcessEnv): ContainedProgram {
    const [file = "", ...words] = this.#words;
    return {
      file,
      args: [...words, "/bin/sh", "-c", ENTER, "sh", cwd, shellPath, "-c", script],
      env: { ...containedEnv(env, this.proxyAddress), TMPDIR: this.#folder },
    };
  }

  isBusy(): boolean {
    return this.#running > 0;
  }

  begin(): () => Promise<void> {
    this.#running += 1;
    return async () => {
      this.#running -= 1;
    };
  }

  async end(): Promise<void> {
    this.#proxy?.end();
  }
}

/** Tries a sandbox out: nobody may rely on one that doesn't do what it should. @throws Error that says what it doesn't do. */
export async function proveSeatbelt(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tiller-seatbelt-")));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    const trial = await Trial.make(file, env, folder);
    const inside = await trial.run('echo inside > work/a && cat work/a && /usr/bin/env printf "%s" works');
    if (inside !== "inside\nworks") throw new Error("commands don't run in it");
    await trial.run("echo x > outside; echo x > work/kept/a; mv work/kept work/other; mkdir work/ABSENT");
    const changed = ["outside", "work/kept/a", "work/other", "work/ABSENT"];
    if (await trial.isAnyThere(changed)) throw new Error("it doesn't keep commands from writing where they may not");
    const read = await trial.run(
      "cat work/secret; cp work/secret b; ln work/secret work/c; mv work/secret work/d; cat work/?",
    );
    if (read.includes(SECRET)) throw new Error("it doesn't keep commands from reading secrets");
    await trial.run(`exec 3<>/dev/tcp/127.0.0.1/${portOf(server.address())}`);
    await trial.run("true"); // what was sent has arrived
    if (connections > 0) throw new Error("it doesn't keep commands from connecting");
  } catch (error) {
    throw new Error(`sandbox-exec doesn't pass its test on this Mac: ${errorMessage(error)}.`, { cause: error });
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A workspace for the test. */
class Trial {
  readonly #seatbelt: Seatbelt;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(seatbelt: Seatbelt, folder: string, env: NodeJS.ProcessEnv) {
    this.#seatbelt = seatbelt;
    this.#folder = folder;
    this.#env = env;
  }

  static async make(file: string, env: NodeJS.ProcessEnv, folder: string): Promise<Trial> {
    const at = (name: string) => join(folder, name);
    await mkdir(at("work/kept"), { recursive: true });
    await mkdir(at("temporary"));
    await writeFile(at("work/secret"), SECRET);
    const policy = {
      ...{ writable: [at("work")], readOnly: [at("work/kept")], pinned: [], emptied: [] },
      ...{ unreadable: [at("work/secret")], absent: [at("work/absent")], repositories: [], gitLinks: [] },
    };
    const seatbelt = await Seatbelt.start(file, {
      ...{ policy, env, folder: at("temporary"), isReadOnly: false, mayReach: undefined, ports: undefined },
      ...{ onTaken: () => undefined, onOthers: () => undefined },
    });
    return new Trial(seatbelt, folder, env);
  }

  /** Runs commands. @returns what they printed, and nothing of what went wrong. */
  async run(script: string): Promise<string> {
    const { file, args, env } = this.#seatbelt.enter({ shellPath: "/bin/bash", script }, this.#folder, this.#env);
    const running = promisify(execFile)(file, args, { env, cwd: "/", timeout: SELF_TEST_MS });
    return running.then(
      ({ stdout }) => stdout,
      (error: unknown) => Failed.safeParse(error).data?.stdout ?? "",
    );
  }

  async isAnyThere(names: readonly string[]): Promise<boolean> {
    const found = await Promise.all(
      names.map((name) =>
        lstat(join(this.#folder, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(true);
  }
}
