import { existsSync } from "node:fs";
import * as z from "zod";
import type { GatedCall, RunHooks, ToolGate } from "../../loop/loop-host.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { EDITOR_LINK_TOOLS } from "../../protocol/host-tools.ts";
import { locatePath } from "../../tools/builtin-paths.ts";
import type { AnyTool, ToolOutput } from "../../tools/tool.ts";
import { resolveExistingPath } from "../../util/existing-path.ts";
import { looksLikeAddress } from "../../util/paths.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";

/** The time limit for requests that need no answer of the user, in milliseconds. */
const QUICK_MS = 15_000;

const OpenText = z.lazy(() => z.object({ text: z.string(), version: z.int() }));
const OpenDocument = z.lazy(() =>
  OpenText.unwrap().extend({
    writable: z.boolean().optional(),
    reason: z.string().optional(),
    missing: z.boolean().optional(),
  }),
);
const PathArgument = z.object({ path: z.string() });
const CommandArgument = z.object({ command: z.string() });

/** A text that is open in the editor; `version` is the editor's count of its changes. */
export type OpenText = z.infer<typeof OpenText>;

/**
 * A text that only the editor opens. `reason` says why it isn't `writable`, and what to do; a `missing` document
 * doesn't exist, and writing creates it.
 */
export type OpenDocument = z.infer<typeof OpenDocument>;

interface EditorLinkParts {
  cwd: string;
  /** True if the host has a tool of that name. */
  isHostTool(name: string): boolean;
  call(toolName: string, input: Record<string, unknown>, toolCallId: string, signal: AbortSignal): Promise<ToolOutput>;
  warn(message: string): void;
}

/**
 * Connects the agent's own file tools to an editor with the same files open. The host provides hidden tools for this;
 * without them, all methods go directly to the disk.
 */
export class EditorLink {
  readonly #parts: EditorLinkParts;

  constructor(parts: EditorLinkParts) {
    this.#parts = parts;
  }

  /**
   * A gate after `gate`, which tells the host about a call that may change files before it runs. The host may refuse
   * it.
   */
  gate(gate: ToolGate): ToolGate {
    return async (call, signal) => {
      const verdict = await gate(call, signal);
      if (verdict !== undefined && "block" in verdict) return verdict;
      const about = await this.#describe(call);
      if (about === undefined || !this.#parts.isHostTool(EDITOR_LINK_TOOLS.beforeChange)) return verdict;
      try {
        await this.#parts.call(EDITOR_LINK_TOOLS.beforeChange, about, call.toolCallId, signal);
        return verdict;
      } catch (error) {
        return { block: errorMessage(error) };
      }
    };
  }

  /** Hooks before `hooks`, which add the host's comments on a call that may have changed files to its result. */
  hooks(hooks: RunHooks): RunHooks {
    return {
      ...hooks,
      toolResult: async (call, result, signal) => {
        const about = await this.#describe(call);
        if (about === undefined || !this.#parts.isHostTool(EDITOR_LINK_TOOLS.afterChange)) {
          return hooks.toolResult(call, result, signal);
        }
        const said = await this.#afterChange({ ...about, isError: result.isError }, call.toolCallId, signal);
        return hooks.toolResult(call, { ...result, content: [...result.content, ...said] }, signal);
      },
    };
  }

  /** Returns the editor's text of a file if the editor offers it; undefined means the disk. */
  async openText(path: string): Promise<OpenText | undefined> {
    if (!this.#parts.isHostTool(EDITOR_LINK_TOOLS.buffer)) return undefined;
    const { details } = await this.#quick({ op: "read", path });
    return OpenText.safeParse(details).data;
  }

  /** A URI that the model gave as a path: only the editor opens it, and no file has this name. */
  async addressOf(cwd: string, shownPath: string): Promise<string | undefined> {
    if (!looksLikeAddress(shownPath) || !this.#parts.isHostTool(EDITOR_LINK_TOOLS.buffer)) return undefined;
    return existsSync(await resolveExistingPath(cwd, shownPath)) ? undefined : shownPath;
  }

  /** Returns the address of the document that a call would change, if it has one. */
  async changedAddress({ tool, args }: Omit<GatedCall, "summary">): Promise<string | undefined> {
    if (tool.isReadOnly || tool.origin !== "builtin") return undefined;
    const { path } = PathArgument.safeParse(args).data ?? {};
    return path === undefined ? undefined : this.addressOf(this.#parts.cwd, path);
  }

  /** Returns a document that only the editor opens. @throws Error when the editor can't open it. */
  async openAddress(address: string): Promise<OpenDocument> {
    const { details } = await this.#quick({ op: "open", uri: address });
    const open = OpenDocument.safeParse(details).data;
    if (open === undefined) throw new Error(`The editor has no text for ${address}.`);
    return open;
  }

  /** Replaces the text of a document that only the editor opens. @throws Error when the version is outdated. */
  async replaceAddress(address: string, text: string, version: number): Promise<void> {
    await this.#quick({ op: "change", uri: address, text, version });
  }

  /** Replaces the text of a file that is open in the editor. @throws Error when the version is outdated. */
  async replaceOpenText(path: string, text: string, version: number): Promise<void> {
    await this.#quick({ op: "write", path, text, version });
  }

  /** True if the host runs commands in terminals. */
  get hasTerminal(): boolean {
    return this.#parts.isHostTool(EDITOR_LINK_TOOLS.terminal);
  }

  /**
   * Runs a command in the host's terminal. @returns what the host says of its end.
   * @throws Error if the terminal fails, or `signal` aborts.
   */
  async runInTerminal(input: Record<string, unknown>, toolCallId: string, signal: AbortSignal): Promise<unknown> {
    return (await this.#parts.call(EDITOR_LINK_TOOLS.terminal, input, toolCallId, signal)).details;
  }

  #quick(input: Record<string, unknown>): Promise<ToolOutput> {
    const limit = withTimeLimit(undefined, QUICK_MS);
    return this.#parts.call(EDITOR_LINK_TOOLS.buffer, input, "", limit.signal).finally(limit.end);
  }

  async #afterChange(about: Record<string, unknown>, toolCallId: string, signal: AbortSignal) {
    const limit = withTimeLimit(signal, QUICK_MS);
    try {
      return (await this.#parts.call(EDITOR_LINK_TOOLS.afterChange, about, toolCallId, limit.signal)).content;
    } catch (error) {
      // The change is made; that the editor has nothing to say of it takes nothing away from it.
      if (!signal.aborted) this.#parts.warn(`The editor said nothing of a change: ${errorMessage(error)}`);
      return [];
    } finally {
      limit.end();
    }
  }

  /** Returns the arguments of the hooks for a call; undefined for one that changes nothing, or whose change the host makes itself. */
  async #describe(call: Omit<GatedCall, "summary">) {
    const { tool, args, toolCallId } = call;
    if (tool.isReadOnly || tool.origin === "host" || tool.name === TODO_TOOL) return undefined;
    if ((await this.changedAddress(call)) !== undefined) return undefined;
    return { toolCallId, toolName: tool.name, ...(await this.#place(tool, args)) };
  }

  async #place({ name, origin }: AnyTool, args: Record<string, unknown>) {
    const { path } = PathArgument.safeParse(args).data ?? {};
    if (path !== undefined && origin === "builtin") return { path: await locatePath(name, this.#parts.cwd, path) };
    const { command } = CommandArgument.safeParse(args).data ?? {};
    return command !== undefined && name === "bash" ? { command } : {};
  }
}

/** Changes only the agent's own list. */
const TODO_TOOL = "todo_write";
