import { join } from "node:path";
import { findHookFiles } from "../../bundled/hooks/hook-files.ts";
import type { HooksExtension } from "../../bundled/hooks/hooks-extension.ts";
import type { HookSource } from "../../bundled/hooks/hooks-parts.ts";
import { type Env, projectDirectory } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import type { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import { APP_NAME } from "../../protocol/envelope.ts";
import { findShell } from "../../tools/find-shell.ts";
import { WITHOUT_TERMINAL } from "../../tools/without-terminal.ts";

interface HookLoaderParts {
  runner: ExtensionRunner;
  cwd: string;
  agentDir: string;
  consents: ConsentDesk;
  /** Keeps what a hook wants for a call until the gate asks. */
  wishes: Map<string, "allow" | "ask">;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

/** The surroundings that are known once the project is trusted or not. */
interface HookSurroundings {
  settings: Settings;
  childEnv: Env;
  isProjectTrusted: boolean;
}

/** Loads the extension that runs hooks as soon as there are any, and keeps it. */
export class HookLoader {
  readonly #parts: HookLoaderParts;
  #around: HookSurroundings | undefined;
  #loaded: HooksExtension | undefined;

  constructor(parts: HookLoaderParts) {
    this.#parts = parts;
  }

  /** Reads the hooks for the first time. */
  async load(around: HookSurroundings): Promise<void> {
    this.#around = around;
    await this.#update(around);
  }

  /** Reads the hooks anew. */
  async reload(settings: Settings): Promise<void> {
    if (this.#around === undefined) return;
    this.#around = { ...this.#around, settings };
    await this.#update(this.#around);
  }

  async #update(around: HookSurroundings): Promise<void> {
    if (this.#loaded !== undefined) return this.#loaded.update();
    const { cwd, agentDir } = this.#parts;
    const { hooks } = around.settings;
    const isWanted = hooks.user !== undefined || hooks.project !== undefined || this.#files(around).length > 0;
    if (!isWanted) return;
    const { createHooksExtension } = await import("../../bundled/hooks/hooks-extension.ts");
    const { readHookFile } = await import("../../bundled/hooks/read-hooks.ts");
    const extension = createHooksExtension({
      cwd,
      sources: () => this.#sources(agentDir, readHookFile),
      consents: this.#parts.consents,
      shell: () => findShell(this.#now.settings.shellPath, this.#now.childEnv),
      childEnv: () => this.#childEnv(),
      wish: (toolCallId, wish) => {
        if (wish === undefined) this.#parts.wishes.delete(toolCallId);
        else this.#parts.wishes.set(toolCallId, wish);
      },
      warn: this.#parts.warn,
    });
    await this.#parts.runner.addBundled("hooks", (api) => extension.load(api), true);
    this.#loaded = extension;
  }

  get #now(): HookSurroundings {
    if (this.#around === undefined) throw new Error("The hooks aren't loaded.");
    return this.#around;
  }

  /** Returns the files of other agents in the project; none before the project is trusted. */
  #files({ isProjectTrusted }: HookSurroundings): string[] {
    return isProjectTrusted ? findHookFiles(this.#parts.cwd) : [];
  }

  #sources(agentDir: string, readFile: (path: string) => unknown): HookSource[] {
    const { user, project } = this.#now.settings.hooks;
    const own = join(projectDirectory(this.#parts.cwd), "settings.json");
    return [
      ...inSettings(join(agentDir, "settings.json"), "user", user),
      ...inSettings(own, "project", project),
      ...this.#files(this.#now).map((path) => ({ path, scope: "project" as const, read: () => readFile(path) })),
    ];
  }

  /** Returns what shell commands get. */
  #childEnv(): NodeJS.ProcessEnv {
    const { childEnv, settings } = this.#now;
    return { ...childEnv, AI_AGENT: APP_NAME, PI_CODING_AGENT: "true", ...WITHOUT_TERMINAL, ...settings.shellEnv };
  }
}

function inSettings(path: string, scope: "user" | "project", hooks: unknown): HookSource[] {
  return hooks === undefined ? [] : [{ path, scope, read: () => ({ hooks }) }];
}
