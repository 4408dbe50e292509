import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTiller, type TillerClient, type TillerOptions } from "../../agent/client/tiller-client.ts";
import { fixtureAgent } from "./fixture-agent.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { BUILT_AGENT } from "./spawn-agent.ts";

/** Starts clients of the built agent in a folder of their own, with a scripted model behind it. */
export class ClientBench {
  readonly model: ScriptedModel;
  readonly folder = mkdtempSync(join(tmpdir(), "tiller-client-"));
  readonly #started: TillerClient[] = [];

  private constructor(model: ScriptedModel) {
    this.model = model;
  }

  static async open(): Promise<ClientBench> {
    return new ClientBench(await ScriptedModel.start());
  }

  async start(options: TillerOptions = {}): Promise<TillerClient> {
    const { folder } = this;
    const tiller = await startTiller({
      command: { file: process.execPath, args: [BUILT_AGENT] },
      args: ["--no-session"],
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: join(folder, "agent"),
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: this.model.url,
      },
      ...options,
    });
    this.#started.push(tiller);
    return tiller;
  }

  /** Starts a small program that asks as soon as it is ready and repeats what the host answers as names of the session. */
  startAsking(options: TillerOptions = {}): Promise<TillerClient> {
    const { file, args } = fixtureAgent("asks-the-host");
    return this.start({ command: { file, args }, args: [], ...options });
  }

  /** Stops the clients; throws when the model's script does not fit what was asked. */
  async close(): Promise<void> {
    await Promise.all(this.#started.map((tiller) => tiller.stop()));
    rmSync(this.folder, { recursive: true, force: true });
    await this.model.stop();
  }
}
