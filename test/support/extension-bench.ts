import { afterEach, beforeEach } from "vitest";
import { agentDirWith } from "./extension-files.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { AgentUnderTest } from "./spawn-agent.ts";

interface StartOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  /** True when Claude's own models have a key and are served by the scripted model; default true. */
  hasClaude?: boolean;
  /** The settings file of the agent's folder. */
  settings?: object;
  cwd?: string;
}

/** The scripted model and the agents of one test file; each test gets fresh ones. */
export interface ExtensionBench {
  model(): ScriptedModel;
  /** An agent with one extension, whose function has this body. `URL` in it is the scripted model's address. */
  start(body: string, options?: StartOptions): AgentUnderTest;
  /** An agent, which keeps its sessions, with these files below `extensions/`. */
  startKeeping(extensions: Record<string, string>): AgentUnderTest;
  /** Keeps what is to be done at the end of the test; the last is done first. */
  atEnd(cleanup: () => unknown): void;
}

/** Prepares tests of a file that start agents with an extension. */
export function extensionBench(): ExtensionBench {
  let model: ScriptedModel;
  const cleanups: (() => unknown)[] = [];
  beforeEach(async () => {
    model = await ScriptedModel.start();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await model.stop();
  });
  return {
    model: () => model,
    start(body, { args = ["--no-session"], env = {}, hasClaude = true, settings = {}, ...place } = {}) {
      const source = `const URL = ${JSON.stringify(model.url)};\nexport default async (pi) => { ${body} };`;
      const { agentDir, remove } = agentDirWith({ "mine.ts": source, "../settings.json": JSON.stringify(settings) });
      cleanups.push(remove);
      const agent = new AgentUnderTest({ agentDir, args, env, ...(hasClaude && { modelUrl: model.url }), ...place });
      cleanups.push(() => agent.dispose());
      return agent;
    },
    startKeeping(extensions) {
      const { agentDir, remove } = agentDirWith(extensions);
      cleanups.push(remove);
      const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: [] });
      cleanups.push(() => agent.dispose());
      return agent;
    },
    atEnd: (cleanup) => void cleanups.push(cleanup),
  };
}
