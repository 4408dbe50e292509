import type { ChangePreview, EditedChange } from "../../protocol/dialogs.ts";
import { isNothingLeft } from "../../tools/edited-change.ts";
import { previewChange } from "../../tools/preview.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { type Decided, given, type Permission } from "./permission.ts";

type Bound = ReturnType<AnyTool["bind"]>;

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

  /** Returns the permission that an approval gives now. */
  permission(decided: Decided): Permission {
    if (this.#edited === undefined) return given(decided);
    return isNothingLeft(this.#edited)
      ? { isGiven: false, decided, why: ". They undid the entire proposed change." }
      : { isGiven: true, decided, edited: this.#edited };
  }
}
