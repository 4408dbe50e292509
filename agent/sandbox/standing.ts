import type { ContainedProgram, ShellScript } from "../tools/contained.ts";
import { bubblewrapArgs } from "./bubblewrap.ts";
import { containedEnv } from "./contained-env.ts";
import { entering, inNetwork, making, type SandboxPrograms } from "./enter.ts";
import { Guard } from "./guard.ts";
import { Holder } from "./holder.ts";
import { listeningPorts } from "./listening-ports.ts";
import { OpenPorts, type PortAccess } from "./open-ports.ts";
import type { SandboxPolicy } from "./policy.ts";
import { PortRelay } from "./port-relay.ts";
import { SandboxProxy, type WantedHost } from "./proxy.ts";

export interface StandingOptions {
  policy: SandboxPolicy;
  /** The folder that stands in for `/tmp`. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** True if commands can write only temporary files. */
  isReadOnly: boolean;
  /** Decides about a host; undefined for no network at all. */
  mayReach: ((wanted: WantedHost) => Promise<boolean>) | undefined;
  /** Decides about ports; undefined if none is ever opened. */
  ports: PortAccess | undefined;
  onTaken(paths: readonly string[]): void;
  onOthers(): void;
}

/** A sandbox that stands, for one policy. */
export interface Stand {
  readonly policy: SandboxPolicy;
  /** The address of the proxy inside; undefined without a network. */
  readonly proxyAddress: string | undefined;
  /** Hosts that were refused, in their order. */
  readonly refusedHosts: readonly string[];
  /** False if commands can't be run in it anymore. */
  readonly isRunning: boolean;
  /** Returns how to run a shell in it. */
  enter(shell: ShellScript, cwd: string, env: NodeJS.ProcessEnv): ContainedProgram;
  /** True while a command, or something that one started, runs in it. */
  isBusy(): boolean;
  /** Notes that a command begins. @returns what to call at its end; resolves when what it made and may not has been taken away. */
  begin(): () => Promise<void>;
  /** Ends all that runs in it. */
  end(): Promise<void>;
}

/** A sandbox in namespaces of Linux. */
export class Standing implements Stand {
  readonly policy: SandboxPolicy;
  readonly proxyAddress: string | undefined;
  readonly refusedHosts: readonly string[];
  readonly #holder: Holder;
  readonly #programs: SandboxPrograms;
  readonly #proxy: SandboxProxy | undefined;
  readonly #guard: Guard;
  readonly #network: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports: OpenPorts | undefined;
  #relay: PortRelay | undefined;
  #running = 0;

  private constructor(
    programs: SandboxPrograms,
    options: StandingOptions,
    holder: Holder,
    proxy: SandboxProxy | undefined,
    refused: string[],
  ) {
    const { policy, isReadOnly, env, ports, onTaken, onOthers } = options;
    this.policy = policy;
    this.#programs = programs;
    this.#holder = holder;
    this.proxyAddress = proxy?.address;
    this.refusedHosts = refused;
    this.#proxy = proxy;
    this.#network = inNetwork(programs, holder.pid);
    this.#env = env;
    this.#ports =
      ports &&
      new OpenPorts({
        ...ports,
        look: () => listeningPorts(holder.pid),
        open: (server) => this.#relayed().open(server),
        isForeground: () => this.#running > 0,
        isBusy: () => this.isBusy(),
      });
    this.#guard = new Guard({ paths: isReadOnly ? [] : policy.absent, isBusy: () => this.isBusy(), onTaken, onOthers });
  }

  /** @throws Error with the reason when there is no sandbox. */
  static async start(programs: SandboxPrograms, options: StandingOptions): Promise<Standing> {
    const { policy, folder, isReadOnly, env, mayReach } = options;
    const args = bubblewrapArgs(policy, { folder, runtime: env.XDG_RUNTIME_DIR, isReadOnly });
    const holder = await Holder.start(making(programs, args), env);
    const refused: string[] = [];
    const onRefused = (host: string) => void refused.push(host);
    try {
      const network = inNetwork(programs, holder.pid);
      const proxy = mayReach && (await SandboxProxy.start(network, { env, isAllowed: mayReach, onRefused }));
      return new Standing(programs, options, holder, proxy, refused);
    } catch (error) {
      await holder.end();
      throw error;
    }
  }

  get isRunning(): boolean {
    return this.#holder.isRunning;
  }

  enter(shell: ShellScript, cwd: string, env: NodeJS.ProcessEnv): ContainedProgram {
    const program = entering(this.#programs, this.#holder.pid, cwd, shell);
    return { ...program, env: containedEnv(env, this.proxyAddress) };
  }

  isBusy(): boolean {
    return this.#running > 0 || this.#holder.isBusy();
  }

  begin(): () => Promise<void> {
    this.#running += 1;
    return async () => {
      try {
        await this.#guard.check();
      } finally {
        this.#running -= 1;
        this.#ports?.watch();
      }
    };
  }

  async end(): Promise<void> {
    this.#guard.close();
    this.#ports?.end();
    this.#relay?.end();
    this.#proxy?.end();
    await this.#holder.end();
  }

  #relayed(): PortRelay {
    if (this.#relay?.isRunning !== true) this.#relay = new PortRelay(this.#network, this.#env);
    return this.#relay;
  }
}
