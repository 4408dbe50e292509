import type { CommandPreview } from "../protocol/previews.ts";
import type { ToolOutput } from "./tool.ts";

/** Previews of shell commands. */
export interface PreviewedCommands {
  /** True if the system can preview commands. */
  isPossible(): Promise<boolean>;
  /** @param args of the shell tool. @throws Error when they are wrong, or the preview fails. */
  run(args: Record<string, unknown>, signal?: AbortSignal): Promise<CommandPreview>;
  /** Makes the changes of a preview. @throws Error that says what was applied. */
  apply(previewId: string): Promise<void>;
  /** Does the same for a call of the shell tool. @returns the result of the command. @throws ToolFailure if that failed, too. */
  applyForCall(previewId: string): Promise<ToolOutput>;
  /** @throws Error when there is no such preview. */
  discard(previewId: string): Promise<void>;
  /** Discards all previews. */
  end(): Promise<void>;
}
