import type { ApprovalQuestion } from "../../protocol/dialogs.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { CommandPreview, PreviewedChange } from "../../protocol/previews.ts";
import { formatSize } from "../../util/truncate.ts";

const TRY_OUT = "Preview";
const APPLY = "Apply the previewed changes";
/** The number of changes that a title names; hosts that know approvals show them all. */
const MAX_TITLE_CHANGES = 8;

/** Runs commands over the disk without changing it. */
export interface Previews {
  /** True if the system can do that. */
  isPossible(): Promise<boolean>;
  /** @param args of the shell tool. @throws Error when the preview fails. */
  run(args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<CommandPreview>;
  discard(previewId: string): Promise<void>;
}

/** The preview of a command while the user is asked about it. */
export class CommandTrial {
  readonly #previews: Previews | undefined;
  readonly #args: Record<string, unknown>;
  readonly #signal: AbortSignal | undefined;
  #effects: CommandPreview | undefined;
  /** Why there is no preview, for the user. */
  #problem: string | undefined;

  /** @param previews undefined for a call that has no preview. */
  constructor(previews: Previews | undefined, args: Record<string, unknown>, signal: AbortSignal | undefined) {
    this.#previews = previews;
    this.#args = args;
    this.#signal = signal;
  }

  /** Why the preview failed, as a reason of the question. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Returns what the question offers now: a preview, or its changes. */
  async offer(): Promise<Pick<ApprovalQuestion, "tryOut" | "apply" | "effects">> {
    const effects = this.#effects;
    if (effects !== undefined) return { effects, ...(effects.problem === undefined && { apply: APPLY }) };
    if (this.#problem !== undefined || (await this.#previews?.isPossible()) !== true) return {};
    return { tryOut: TRY_OUT };
  }

  /** Runs the preview if that is the answer. @returns whether the question is to be asked again. */
  async answer(answer: string | undefined): Promise<boolean> {
    if (answer !== TRY_OUT || this.#previews === undefined) return false;
    try {
      this.#effects = await this.#previews.run(this.#args, this.#signal);
    } catch (error) {
      this.#problem = `can't be previewed: ${errorMessage(error)}`;
    }
    return this.#signal?.aborted !== true;
  }

  /** Returns the preview whose changes the user wants, which is then no longer this one's to discard. */
  take(answer: string | undefined): string | undefined {
    if (answer !== APPLY) return undefined;
    const id = this.#effects?.previewId;
    this.#effects = undefined;
    return id;
  }

  /** Discards what nobody wants. */
  async end(): Promise<void> {
    const id = this.#effects?.previewId;
    if (id !== undefined) await this.#previews?.discard(id).catch(() => undefined);
  }
}

/** Returns the lines of a title that say what a preview has shown. */
export function effectLines({ exitCode, changes, changeCount, problem }: CommandPreview): string[] {
  const end = exitCode === undefined ? "The preview was stopped" : `The preview ended with exit code ${exitCode}`;
  const rest = changeCount - Math.min(changes.length, MAX_TITLE_CHANGES);
  return [
    changeCount === 0 ? `${end}; it changes no files` : `${end}; it would change:`,
    ...changes.slice(0, MAX_TITLE_CHANGES).map(wordChange),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...(problem === undefined ? [] : [`It can't be applied: ${problem}`]),
  ];
}

function wordChange({ path, change, type, sizeAfter, target }: PreviewedChange): string {
  const what = type === "file" ? "" : `${type === "folder" ? "directory" : type} `;
  const detail = target ?? (change === "deleted" || sizeAfter === undefined ? undefined : formatSize(sizeAfter));
  return `${change} ${what}${path}${detail === undefined ? "" : ` (${detail})`}`;
}
