import type { Decider } from "../../protocol/approvals.ts";
import type { EditedChange } from "../../protocol/dialogs.ts";

/** Who decided about a call. */
export interface Decided {
  by: Decider;
  /** The rules that allowed it, or the rule that the user saved with the answer, as people read them. */
  rules?: readonly string[];
}

/** The decision about a call; `why` is added to the text for the model. A call is forbidden when a rule of the user denies it. */
export type Permission =
  | {
      readonly isGiven: true;
      readonly decided: Decided;
      readonly edited?: EditedChange | undefined;
      /** The preview whose changes the user wants. */
      readonly previewId?: string;
      /** True if the call was free to run, so that the user was not asked. */
      readonly isUnasked?: true;
      /** True for a command that has to run in the sandbox. */
      readonly isContained?: true;
      /** True if such a command can write only temporary files. */
      readonly isReadOnly?: true;
    }
  | { readonly isGiven: false; readonly decided: Decided; readonly why: string; readonly isForbidden?: boolean };

const MAX_REASON_LENGTH = 2000;

/** Returns the permission of a call that somebody or something decided to let run as it is. */
export function given(decided: Decided): Permission {
  return { isGiven: true, decided };
}

/** Returns the user's refusal of a call. @param reason their words for the model. */
export function refusedFor(reason: string): Permission {
  const words = reason.trim().slice(0, MAX_REASON_LENGTH);
  return { isGiven: false, decided: { by: "user" }, why: words === "" ? "" : `. The user says: ${words}` };
}
