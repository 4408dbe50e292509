import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "../protocol/errors.ts";
import type { CommandSandbox, ContainedCommand } from "../tools/contained.ts";
import { isExecutable, pathCandidates } from "../tools/find-shell.ts";
import { bubblewrapArgs } from "./bubblewrap.ts";
import { containedEnv } from "./contained-env.ts";
import { entering, inNetwork, making, type SandboxPrograms } from "./enter.ts";
import { Holder } from "./holder.ts";
import { disarm, takeAway } from "./kept-out.ts";
import { placesProblem, type Repository, readPolicy, type SandboxPlaces, type SandboxPolicy } from "./policy.ts";
import { SandboxProxy, type WantedHost } from "./proxy.ts";
import { refusalIn } from "./refusals.ts";

/** The time for which a look at the disk counts: what the user makes between two commands is the user's. */
const POLICY_AGE_MS = 1000;

interface SandboxOptions extends SandboxPlaces {
  env: NodeJS.ProcessEnv;
  /** Decides about a host; undefined for no network at all. */
  mayReach: ((wanted: WantedHost) => Promise<boolean>) | undefined;
}

/** A sandbox that stands, for one policy. */
interface Standing {
  readonly policy: SandboxPolicy;
  readonly holder: Holder;
  readonly proxy: SandboxProxy | undefined;
  /** Hosts that were refused, in their order. */
  readonly refusedHosts: string[];
}

/** Runs commands where they can change and see only what a policy says; it is made for the first one. */
export class Sandbox implements CommandSandbox {
  readonly #options: SandboxOptions;
  readonly #started: Standing[] = [];
  #checked: Promise<string | undefined> | undefined;
  #programs: Promise<SandboxPrograms> | undefined;
  /** What the last command made and was taken away from new repositories; the next command waits for it, and its result tells it. */
  #disarmed: Promise<string[]> = Promise.resolve([]);
  #folder: Promise<string> | undefined;
  #policy: { read: Promise<SandboxPolicy>; at: number } | undefined;
  #standing: { key: string; made: Promise<Standing> } | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Returns why commands can't be contained here, as words that complete "Commands can't run in a sandbox here: "; undefined if they can. */
  problem(): Promise<string | undefined> {
    this.#checked ??= this.#check();
    return this.#checked;
  }

  /** Makes the sandbox ready for a command. @throws Error when there is none. */
  async contain(): Promise<ContainedCommand> {
    const programs = await this.#find();
    await this.#disarmed;
    const standing = await this.#stand(programs);
    const { holder, proxy, policy, refusedHosts } = standing;
    const firstRefused = refusedHosts.length;
    return {
      folder: await this.#temporary(),
      enter: (shell, cwd, given) => ({
        ...entering(programs, holder.pid, cwd, shell),
        env: containedEnv(given, proxy?.address),
      }),
      refusalIn: (output) => refusalIn(output, refusedHosts.slice(firstRefused)),
      end: async () => {
        const before = await this.#disarmed;
        this.#disarmed = this.#disarmNew(policy.repositories);
        this.#disarmed.catch(() => undefined); // the next command fails with it
        return [...before, ...(await takeAway(policy.absent))];
      },
    };
  }

  /** Ends everything that runs in the sandbox. */
  async end(): Promise<void> {
    await Promise.allSettled([this.#standing?.made, this.#disarmed]);
    this.#standing = undefined;
    const started = this.#started.splice(0);
    for (const { proxy } of started) proxy?.end();
    await Promise.all(started.map(({ holder }) => holder.end()));
    const folder = await this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #check(): Promise<string | undefined> {
    if (process.platform !== "linux") return `there is no sandbox for ${process.platform} yet`;
    const problem = placesProblem(this.#options);
    if (problem !== undefined) return problem;
    try {
      const { enter } = await this.contain();
      const { file, args, env } = enter({ shellPath: "/bin/sh", script: "true" }, "/", this.#options.env);
      await promisify(execFile)(file, args, { env, cwd: "/" });
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  #find(): Promise<SandboxPrograms> {
    this.#programs ??= findPrograms(this.#options.env);
    return this.#programs;
  }

  /** Returns the sandbox for what the disk has now; one for what it had before stays for what still runs in it. */
  async #stand(programs: SandboxPrograms): Promise<Standing> {
    const isFresh = this.#policy !== undefined && performance.now() - this.#policy.at < POLICY_AGE_MS;
    const policy = (await (isFresh ? this.#policy?.read : undefined)) ?? (await this.#readPolicy());
    const key = JSON.stringify(policy);
    const standing = this.#standing?.key === key ? await this.#standing.made.catch(() => undefined) : undefined;
    if (standing?.holder.isRunning === true) return standing;
    const made = this.#make(programs, policy).catch(async () => this.#make(programs, await this.#readPolicy())); // the disk has changed since
    this.#standing = { key, made };
    return made;
  }

  async #make(programs: SandboxPrograms, policy: SandboxPolicy): Promise<Standing> {
    const { env, mayReach } = this.#options;
    const args = bubblewrapArgs(policy, await this.#temporary(), env.XDG_RUNTIME_DIR);
    const holder = await Holder.start(making(programs, args), env);
    const refusedHosts: string[] = [];
    const onRefused = (host: string) => void refusedHosts.push(host);
    const proxy =
      mayReach === undefined
        ? undefined
        : await SandboxProxy.start(inNetwork(programs, holder.pid), { env, isAllowed: mayReach, onRefused });
    const standing = { policy, holder, proxy, refusedHosts };
    this.#started.push(standing);
    return standing;
  }

  /** Looks for repositories that a command has made. */
  async #disarmNew(known: readonly Repository[]): Promise<string[]> {
    const { repositories } = await this.#readPolicy();
    const isKnown = (one: Repository) =>
      known.some(({ folder, inode }) => folder === one.folder && inode === one.inode);
    return disarm(repositories.filter((one) => !isKnown(one)).map(({ folder }) => folder));
  }

  #readPolicy(): Promise<SandboxPolicy> {
    const read = readPolicy(this.#options);
    this.#policy = { read, at: performance.now() };
    return read;
  }

  /** The folder that stands in for `/tmp`. */
  #temporary(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), "tiller-sandbox-"));
    return this.#folder;
  }
}

/** Finds what makes sandboxes. @throws Error that says what to install. */
async function findPrograms(env: NodeJS.ProcessEnv): Promise<SandboxPrograms> {
  const find = async (name: string) => {
    for (const path of pathCandidates(name, env)) if (await isExecutable(path)) return path;
    const install = name === "bwrap" ? "bubblewrap" : "util-linux";
    throw new Error(`${name} isn't installed. Install the package ${install}.`);
  };
  return {
    bwrap: await find("bwrap"),
    nsenter: await find("nsenter"),
    unshare: await find("unshare"),
    setpriv: await find("setpriv"),
    prlimit: await find("prlimit"),
    env: await find("env"),
  };
}
