import * as z from "zod";
import type { GatedCall, RunHooks, ToolGate } from "../loop/loop-host.ts";
import { locatePath } from "../tools/builtin-paths.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ChangingCall } from "./change-recorder.ts";
import type { LateChanges } from "./late-changes.ts";
import { realPathOf } from "./named-files.ts";

const PathArgument = z.object({ path: z.string() });

type RanCall = Pick<GatedCall, "toolCallId" | "tool" | "args">;

interface RecordingParts {
  cwd: string;
  changes: Pick<LateChanges, "before" | "after" | "filesOutside">;
  /** True while the host records what calls change. */
  isRecordedByHost(): boolean;
  /** True for a call that is known to write nothing. */
  onlyReads(tool: AnyTool, args: Record<string, unknown>): Promise<boolean>;
  /** True for a call that changes a document of the editor that is no file. */
  isDocument(call: RanCall): Promise<boolean>;
  /** Returns the files and folders that a call names and that are there. */
  namedPaths(call: RanCall): Promise<readonly { path: string; isFolder: boolean }[]>;
}

/** Has each call recorded that may change files. */
export class CallRecording {
  readonly #parts: RecordingParts;
  /** The calls that are recorded, by id. */
  readonly #open = new Map<string, Omit<ChangingCall, "session">>();

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  /** A gate behind `gate`, which notes what is there before a call runs. */
  gate(gate: ToolGate): ToolGate {
    return async (call, signal) => {
      const verdict = await gate(call, signal);
      if (verdict !== undefined && "block" in verdict) return verdict;
      const recorded = await this.#describe(call).catch(() => undefined); // a call that can't be read fails by itself
      if (recorded === undefined) return verdict;
      this.#open.set(call.toolCallId, recorded);
      await this.#parts.changes.before(recorded);
      return verdict;
    };
  }

  /** Hooks before `hooks`, which record what a call has changed. The model does not wait for the changes of a command. */
  hooks(hooks: RunHooks): RunHooks {
    return {
      ...hooks,
      toolResult: async (call, result, signal) => {
        const recorded = this.#open.get(call.toolCallId);
        this.#open.delete(call.toolCallId);
        if (recorded !== undefined) {
          const done = this.#parts.changes.after(recorded);
          if (recorded.path !== undefined) await done;
        }
        return hooks.toolResult(call, result, signal);
      },
    };
  }

  /** Forgets the calls whose end nobody has told. */
  clear(): void {
    this.#open.clear();
  }

  async #describe(call: RanCall): Promise<Omit<ChangingCall, "session"> | undefined> {
    const { tool, args, toolCallId } = call;
    const { cwd, changes, isRecordedByHost, onlyReads, isDocument, namedPaths } = this.#parts;
    if (tool.isReadOnly || isRecordedByHost()) return undefined;
    const about = { toolCallId, toolName: tool.name };
    if (tool.origin === "builtin" && (tool.name === "edit" || tool.name === "write")) {
      if (await isDocument(call)) return undefined;
      return { ...about, path: await realPathOf(await locatePath(tool.name, cwd, PathArgument.parse(args).path)) };
    }
    if (tool.origin === "builtin" && tool.name !== "bash") return undefined;
    if (await onlyReads(tool, args)) return undefined;
    return { ...about, named: await changes.filesOutside(await namedPaths(call)) };
  }
}
