import type { InputContent } from "../protocol/content.ts";

/** A message as an author writes it. People see it unless `display` is false. */
export interface MessageOfExtension {
  customType: string;
  content: string | InputContent[];
  display?: boolean;
  details?: unknown;
}

/** How a message is delivered. */
export type DeliverAs = "steer" | "followUp" | "nextTurn";

/** Options for a message of an extension. */
export interface SendOptions {
  /** True starts a run when none is active; false adds the message when the turn is over, without a run. */
  triggerTurn?: boolean | undefined;
  /** How to deliver the message during a run; default: "steer". */
  deliverAs?: DeliverAs | undefined;
}

/** Options for a message sent as the user. */
export interface UserSendOptions {
  /** Needed while a run is active. */
  deliverAs?: "steer" | "followUp" | undefined;
  /** True if commands, skills and templates that the text names are used. */
  expandPromptTemplates?: boolean | undefined;
}
