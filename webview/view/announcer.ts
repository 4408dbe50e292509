import { el } from "./dom.ts";

/** What screen readers are told, apart from what they read themselves. */
export interface Announcer {
  readonly element: HTMLElement;
  say(text: string, urgency: "polite" | "assertive"): void;
}

export function createAnnouncer(): Announcer {
  const polite = el("div", "", { role: "status", "aria-live": "polite" });
  const assertive = el("div", "", { role: "alert", "aria-live": "assertive" });
  return {
    element: el("div", "visually-hidden", {}, [polite, assertive]),
    say(text, urgency) {
      const region = urgency === "polite" ? polite : assertive;
      // The same words twice are only heard when they are a new node.
      region.replaceChildren(el("span", "", {}, [text]));
    },
  };
}
