import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentUnderTest, asRecord, type Frame } from "./spawn-agent.ts";

/** Shell scripts for hooks, and what they received. */
export class HookScripts {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = join(folder, "scripts");
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Writes a script that keeps its stdin and then runs these lines. @returns the command that runs it. */
  script(lines: string): string {
    const path = join(this.#folder, `${++this.#count}.sh`);
    writeFileSync(path, `printf '%s\\n' "$(cat)" >> "${this.#log}"\n${lines}\n`);
    return `bash ${path}`;
  }

  /** Writes a script that gives this answer. @returns the command that runs it. */
  answering(answer: object): string {
    return this.script(`cat <<'END'\n${JSON.stringify(answer)}\nEND`);
  }

  /** The inputs of all scripts, in order. */
  received(): Record<string, unknown>[] {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => asRecord(JSON.parse(line)));
  }

  get #log(): string {
    return join(this.#folder, "received.jsonl");
  }
}

/** Settings with hooks as Claude Code writes them. */
export function hooksFor(event: string, commands: string | readonly string[], matcher = ""): { hooks: object } {
  const list = typeof commands === "string" ? [commands] : commands;
  return { hooks: { [event]: [{ matcher, hooks: list.map((command) => ({ type: "command", command })) }] } };
}

/** Texts that the agent showed. */
export function notices(frames: readonly Frame[]): string[] {
  return frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));
}

/** Answers every question of the agent from now on with this option. @returns the titles so far. */
export function answerAll(agent: AgentUnderTest, value: string): string[] {
  const titles: string[] = [];
  let next = agent.frames.length;
  void agent
    .until(() => {
      while (next < agent.frames.length) {
        const frame = agent.frames[next++];
        if (frame?.method !== "select") continue;
        titles.push(String(frame.title));
        agent.send({ type: "extension_ui_response", id: frame.id, value });
      }
      return undefined;
    }, "the end")
    .catch(() => undefined);
  return titles;
}
