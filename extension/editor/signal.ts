/** Events that may need the user's attention: a run has ended, the agent waits for an answer, or it failed. */
export type AttentionEvent = "done" | "needsYou" | "failed";

/** The user's setting for an event; `both` is a notification with a sound. */
export const SIGNAL_SETTINGS = ["off", "notification", "sound", "both"] as const;
export type SignalSetting = (typeof SIGNAL_SETTINGS)[number];

/** The user's setting and focus, and the means to get their attention. */
export interface Onlooker {
  readonly setting: SignalSetting;
  readonly isWindowFocused: boolean;
  /** True when a page that shows the chat is visible. */
  readonly isChatVisible: boolean;
  /** True when a page can play a sound. */
  readonly canPlay: boolean;
  /** True when the event opens its own interface, such as a quick pick. A notification would then be the second one. */
  readonly showsItself: boolean;
}

/** The ways to get the user's attention. */
export interface Signal {
  readonly hasNotification: boolean;
  readonly hasSound: boolean;
}

const NONE: Signal = { hasNotification: false, hasSound: false };

/**
 * Decides how an event is signalled. A user who looks at the chat gets no signal. A sound that cannot be played becomes a notification, so that
 * the event is not missed.
 */
export function decideSignal({ setting, isWindowFocused, isChatVisible, canPlay, showsItself }: Onlooker): Signal {
  if (setting === "off" || (isWindowFocused && isChatVisible)) return NONE;
  const hasSound = setting !== "notification" && canPlay;
  const wantsNotification = setting !== "sound" || !hasSound;
  return { hasNotification: wantsNotification && !showsItself, hasSound };
}
