/** What may need the user's eye: a run has come to its end, the agent waits for an answer, or it could not go on. */
export type AttentionEvent = "done" | "needsYou" | "failed";

/** How the user wants to be told of an event; `both` is a notification with a sound. */
export const SIGNAL_SETTINGS = ["off", "notification", "sound", "both"] as const;
export type SignalSetting = (typeof SIGNAL_SETTINGS)[number];

/** Where the user is, and what there is to signal with. */
export interface Onlooker {
  readonly setting: SignalSetting;
  readonly isWindowFocused: boolean;
  /** Whether a page that shows the chat can be seen. */
  readonly isChatVisible: boolean;
  /** Whether there is a page that can play a sound. */
  readonly canPlay: boolean;
  /** Whether the event comes with an interface of its own in the editor, such as a quick pick: a notification would be the second one. */
  readonly showsItself: boolean;
}

/** What is done to get the user's attention. */
export interface Signal {
  readonly hasNotification: boolean;
  readonly hasSound: boolean;
}

const NONE: Signal = { hasNotification: false, hasSound: false };

/**
 * Decides how an event is signalled. Who looks at the chat is told nothing. A sound that nobody can play becomes a notification, so that what
 * was asked for is not silent.
 */
export function decideSignal({ setting, isWindowFocused, isChatVisible, canPlay, showsItself }: Onlooker): Signal {
  if (setting === "off" || (isWindowFocused && isChatVisible)) return NONE;
  const hasSound = setting !== "notification" && canPlay;
  const wantsNotification = setting !== "sound" || !hasSound;
  return { hasNotification: wantsNotification && !showsItself, hasSound };
}
