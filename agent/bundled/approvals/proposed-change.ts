import type { ChangePreview, EditedChange } from "../../protocol/dialogs.ts";
import { isNothingLeft } from "../../tools/edited-change.ts";
import { previewChange } from "../../tools/preview.ts";
import type { AnyTool } from "../../tools/tool.ts";

type Bound = ReturnType<AnyTool["bind"]>;

/**
 * The user's decision about a call; `why` is added to the text for the model. A call is forbidden when a rule of the
 * user denies it.
 */
export type Permission =
  | {
      readonly isGiven: true;
      readonly edited?: EditedChange | undefined;
      readonly isUnasked?: true;
      readonly isContained?: true;
      /** The preview whose changes the user wants. */
      readonly previewId?: string;
    }
  | { readonly isGiven: false; readonly why: string; readonly isForbidden?: boolean };

export const GIVEN: Permission = { isGiven: true };
/** The call was free to run, so the user was not asked. */
export const UNASKED: Permission = { isGiven: true, isUnasked: true };
/** The call is a command that runs in the sandbox, so the user was not asked. */
export const CONTAINED: Permission = { isGiven: true, isContained: true };
export const REFUSED: Permission = { isGiven: false, why: "" };
const MAX_REASON_LENGTH = 2000;

/** Returns the refusal of a call with the user's words for the model. */
export function refusedFor(reason: string): Permission {
  const words = reason.trim().slice(0, MAX_REASON_LENGTH);
  return words === "" ? REFUSED : { isGiven: false, why: `. The user says: ${words}` };
}

/** The change by a call that needs approval, and the user's edit of it. */
export class ProposedChange {
  readonly #bound: Bound;
  readonly #cwd: string;
  #preview: ChangePreview | undefined;
  #edited: EditedChange | undefined;

  constructor(bound: Bound, cwd: string) {
    this.#bound = bound;
    this.#cwd = cwd;
  }

  /** Returns the current preview: after an edit, the user's version. */
  async preview(): Promise<ChangePreview | undefined> {
    this.#preview ??= this.#bound.ok ? await this.#bound.input.preview(this.#cwd) : undefined;
    if (this.#preview === undefined || this.#edited === undefined) return this.#preview;
    const { path } = this.#preview;
    return previewChange({ path, shownPath: path }, this.#edited.before, this.#edited.after);
  }

  take(edited: EditedChange): void {
    this.#edited = edited;
  }

  /** The permission that an approval would give now. */
  get permission(): Permission {
    if (this.#edited === undefined) return GIVEN;
    return isNothingLeft(this.#edited)
      ? { isGiven: false, why: ". They undid the entire proposed change." }
      : { isGiven: true, edited: this.#edited };
  }
}
