import type { InputContent } from "../protocol/content.ts";

/** A message as an author writes it. People see it unless `display` is false. */
export interface MessageOfExtension {
  customType: string;
  content: string | InputContent[];
  display?: boolean;
  details?: unknown;
}

/** Where in the conversation a message goes. */
export type DeliverAs = "steer" | "followUp" | "nextTurn";

/** How a message of an extension is sent. */
export interface SendOptions {
  /** True starts a run when none is active; false adds the message when the turn is over, without a run. */
  triggerTurn?: boolean | undefined;
  /** What becomes of the message while a run is active; "steer" by default. */
  deliverAs?: DeliverAs | undefined;
}

/** How something is said as the user. */
export interface UserSendOptions {
  /** Needed while a run is active. */
  deliverAs?: "steer" | "followUp" | undefined;
  /** Whether commands, skills and templates that the text names are used. */
  expandPromptTemplates?: boolean | undefined;
}
