import { bubblewrapArgs } from "./bubblewrap.ts";
import { inNetwork, making, type SandboxPrograms } from "./enter.ts";
import { Guard } from "./guard.ts";
import { Holder } from "./holder.ts";
import { listeningPorts } from "./listening-ports.ts";
import { OpenPorts, type PortAccess } from "./open-ports.ts";
import type { SandboxPolicy } from "./policy.ts";
import { PortRelay } from "./port-relay.ts";
import { SandboxProxy, type WantedHost } from "./proxy.ts";

export interface StandingOptions {
  programs: SandboxPrograms;
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
export class Standing {
  readonly policy: SandboxPolicy;
  readonly holder: Holder;
  /** The address of the proxy inside; undefined without a network. */
  readonly proxyAddress: string | undefined;
  /** Hosts that were refused, in their order. */
  readonly refusedHosts: readonly string[];
  readonly #proxy: SandboxProxy | undefined;
  readonly #guard: Guard;
  readonly #network: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports: OpenPorts | undefined;
  #relay: PortRelay | undefined;
  #running = 0;

  private constructor(options: StandingOptions, holder: Holder, proxy: SandboxProxy | undefined, refused: string[]) {
    const { programs, policy, isReadOnly, env, ports, onTaken, onOthers } = options;
    this.policy = policy;
    this.holder = holder;
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
  static async start(options: StandingOptions): Promise<Standing> {
    const { programs, policy, folder, isReadOnly, env, mayReach } = options;
    const args = bubblewrapArgs(policy, { folder, runtime: env.XDG_RUNTIME_DIR, isReadOnly });
    const holder = await Holder.start(making(programs, args), env);
    const refused: string[] = [];
    const onRefused = (host: string) => void refused.push(host);
    try {
      const network = inNetwork(programs, holder.pid);
      const proxy = mayReach && (await SandboxProxy.start(network, { env, isAllowed: mayReach, onRefused }));
      return new Standing(options, holder, proxy, refused);
    } catch (error) {
      await holder.end();
      throw error;
    }
  }

  /** True while a command, or something that one started, runs in it. */
  isBusy(): boolean {
    return this.#running > 0 || this.holder.isBusy();
  }

  /** Notes that a command begins. @returns what to call at its end; resolves when what it made and may not has been taken away. */
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

  /** Ends all that runs in it. */
  async end(): Promise<void> {
    this.#guard.close();
    this.#ports?.end();
    this.#relay?.end();
    this.#proxy?.end();
    await this.holder.end();
  }

  #relayed(): PortRelay {
    if (this.#relay?.isRunning !== true) this.#relay = new PortRelay(this.#network, this.#env);
    return this.#relay;
  }
}
