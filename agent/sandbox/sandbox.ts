import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "../protocol/errors.ts";
import type { CommandSandbox, ContainedCommand, Containment, OpenedServer } from "../tools/contained.ts";
import { KeyedLock } from "../util/keyed-lock.ts";
import { disarm } from "./kept-out.ts";
import type { PortAccess } from "./open-ports.ts";
import { placesProblem, readPolicy, type SandboxPlaces, type SandboxPolicy, settlePlaces } from "./policy.ts";
import type { WantedHost } from "./proxy.ts";
import { refusalIn } from "./refusals.ts";
import type { Stand } from "./standing.ts";
import { findStands, type MakeStand, type SandboxSystem, THIS_SYSTEM } from "./stands.ts";

/** The time for which a look at the disk counts: what the user makes between two commands is the user's. */
const POLICY_AGE_MS = 1000;

interface SandboxOptions extends SandboxPlaces {
  env: NodeJS.ProcessEnv;
  /** Decides about a host; undefined for no network at all. */
  mayReach: ((wanted: WantedHost) => Promise<boolean>) | undefined;
  /** Decides which ports are opened; undefined if none is. */
  ports?: PortAccess | undefined;
  system?: SandboxSystem;
  /** Comes when something was renamed that a command, or somebody else while one ran, made where commands may make nothing. */
  onTaken(paths: readonly string[]): void;
}

/** Folders for temporary files that an agent which ends unexpectedly leaves. */
const folders = new Set<string>();
let isCleaningUp = false;

/** Runs commands where they can change and see only what a policy says; it is made for the first one. */
export class Sandbox implements CommandSandbox {
  readonly #options: SandboxOptions;
  readonly #started = new Set<Stand>();
  #places: Promise<SandboxPlaces> | undefined;
  #isFound = false;
  #makeStand: MakeStand | undefined;
  #folder: string | undefined;
  #policy: { read: Promise<SandboxPolicy>; at: number } | undefined;
  /** The last sandbox in which commands can write, and the last in which they can't. */
  readonly #current = new Map<boolean, { key: string; standing: Stand }>();
  /** One sandbox is made, taken for a command, or ended at a time. */
  readonly #turns = new KeyedLock();
  /** The look at repositories after the last command; the next command waits for it. */
  #disarming: Promise<void> = Promise.resolve();
  /** The workspace as it was before commands after which no such look has succeeded yet. */
  #before: SandboxPolicy | undefined;
  /** What was renamed and no result has told yet. */
  #taken: string[] = [];
  /** The servers that were opened and no result has told yet. */
  #opened: OpenedServer[] = [];

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Returns why commands can't be contained here, in words that complete "Commands can't run in a sandbox here: "; undefined if they can. */
  async problem(): Promise<string | undefined> {
    if (this.#isFound) return undefined;
    const problem = await this.#look();
    this.#isFound = problem === undefined;
    return problem;
  }

  /** Makes the sandbox ready for a command. @throws Error when there is none. */
  async contain(containment: Containment): Promise<ContainedCommand> {
    try {
      return await this.#contain(containment);
    } catch (error) {
      throw new Error(
        `The sandbox doesn't start: ${errorMessage(error)} In another permission mode, commands run without it.`,
        {
          cause: error,
        },
      );
    }
  }

  /** Returns, once, the servers that were opened since the last call. */
  takeOpened(): OpenedServer[] {
    return this.#opened.splice(0);
  }

  /** Ends everything that runs in the sandbox. */
  async end(): Promise<void> {
    await this.#disarming.catch(() => undefined); // the next command tries it again
    await this.#turns.run("standing", async () => {
      this.#current.clear();
      const started = [...this.#started];
      this.#started.clear();
      await Promise.all(started.map((standing) => standing.end()));
      const folder = this.#folder;
      if (folder === undefined) return;
      this.#folder = undefined;
      folders.delete(folder);
      await rm(folder, { recursive: true, force: true });
    });
  }

  async #contain({ isReadOnly }: Containment): Promise<ContainedCommand> {
    const { env, system = THIS_SYSTEM } = this.#options;
    this.#makeStand ??= await findStands(system, env);
    const makeStand = this.#makeStand;
    await this.#disarming.catch(() => this.#disarm()); // what was in the way may be gone
    const { folder, standing, release } = await this.#turns.run("standing", async () => {
      const temporary = await this.#temporary();
      const stood = await this.#stand(makeStand, isReadOnly);
      return { folder: temporary, standing: stood, release: stood.begin() };
    });
    const { policy, refusedHosts } = standing;
    const firstRefused = refusedHosts.length;
    return {
      folder,
      enter: (...command) => standing.enter(...command),
      refusalIn: (output) =>
        refusalIn(output, {
          ...{ hosts: refusedHosts.slice(firstRefused), hidden: policy.unreadable, isReadOnly },
          isSeatbelt: system.platform === "darwin",
        }),
      end: async () => {
        if (isReadOnly) return release().then(() => []);
        await this.#disarming.catch(() => undefined);
        try {
          await release();
        } finally {
          this.#before ??= policy;
          void this.#disarm().catch(() => undefined); // the next command fails with it
        }
        return this.#taken.splice(0);
      },
      takeOpened: () => this.takeOpened(),
    };
  }

  async #look(): Promise<string | undefined> {
    try {
      const problem = placesProblem(await this.#settled());
      if (problem !== undefined) return problem;
      const { enter, end } = await this.#contain({ isReadOnly: false });
      try {
        const { file, args, env } = enter({ shellPath: "/bin/sh", script: "true" }, "/", this.#options.env);
        await promisify(execFile)(file, args, { env, cwd: "/" });
      } finally {
        await end();
      }
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Returns the sandbox for what the disk has now. One for what it had before stays while something runs in it. */
  async #stand(makeStand: MakeStand, isReadOnly: boolean): Promise<Stand> {
    const isFresh = this.#policy !== undefined && performance.now() - this.#policy.at < POLICY_AGE_MS;
    const policy = (await (isFresh ? this.#policy?.read : undefined)) ?? (await this.#readPolicy());
    const key = JSON.stringify(policy);
    const current = this.#current.get(isReadOnly);
    if (current?.key === key && current.standing.isRunning) return current.standing;
    const make = (latest: SandboxPolicy) => this.#make(makeStand, latest, isReadOnly);
    const standing = await make(policy).catch(async () => make(await this.#readPolicy())); // the disk has changed since
    this.#current.set(isReadOnly, { key, standing });
    return standing;
  }

  async #make(makeStand: MakeStand, policy: SandboxPolicy, isReadOnly: boolean): Promise<Stand> {
    const { env, mayReach } = this.#options;
    const standing = await makeStand({
      ...{ policy, env, isReadOnly, folder: await this.#temporary() },
      mayReach: isReadOnly ? undefined : mayReach,
      ports: isReadOnly ? undefined : this.#ports(),
      onTaken: (paths) => this.#tell(paths),
      onOthers: () => {
        this.#policy = undefined;
      },
    });
    const idle = [...this.#started].filter((one) => !one.isBusy());
    for (const one of idle) this.#started.delete(one);
    this.#started.add(standing);
    await Promise.all(idle.map((one) => one.end()));
    return standing;
  }

  /** Takes note of the servers that are opened. */
  #ports(): PortAccess | undefined {
    const { ports } = this.#options;
    if (ports === undefined) return undefined;
    return {
      ...ports,
      onOpened: (server) => {
        this.#opened.push(server);
        ports.onOpened(server);
      },
    };
  }

  /** Looks, after the look before, for what commands made since that may do harm. */
  #disarm(): Promise<void> {
    this.#disarming = this.#disarming
      .catch(() => undefined)
      .then(async () => {
        const before = this.#before;
        if (before === undefined) return;
        this.#before = undefined;
        try {
          const taken = await disarm(before, await this.#readPolicy());
          if (taken.length > 0) this.#tell(taken);
        } catch (error) {
          this.#before = before;
          throw error;
        }
      });
    return this.#disarming;
  }

  #tell(paths: readonly string[]): void {
    this.#taken.push(...paths);
    this.#options.onTaken(paths);
  }

  #readPolicy(): Promise<SandboxPolicy> {
    const read = this.#settled().then(readPolicy);
    this.#policy = { read, at: performance.now() };
    return read;
  }

  #settled(): Promise<SandboxPlaces> {
    this.#places ??= settlePlaces(this.#options);
    return this.#places;
  }

  /** Returns the folder that stands in for `/tmp`. */
  async #temporary(): Promise<string> {
    if (this.#folder !== undefined) return this.#folder;
    const made = await mkdtemp(join(tmpdir(), "tiller-sandbox-"));
    if (!isCleaningUp) process.once("exit", removeFolders);
    isCleaningUp = true;
    folders.add(made);
    this.#folder = made;
    return made;
  }
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
