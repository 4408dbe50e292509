import { el } from "../view/common/dom.ts";

/** Announcements for screen readers, besides what they read themselves. */
export interface Announcer {
  readonly element: HTMLElement;
  say(text: string, urgency: "polite" | "assertive"): void;
}

export function createAnnouncer(): Announcer {
  const regions = {
    polite: el("div", "", { role: "status", "aria-live": "polite" }),
    assertive: el("div", "", { role: "alert", "aria-live": "assertive" }),
  };
  const waiting: Record<keyof typeof regions, string[]> = { polite: [], assertive: [] };
  function tell(urgency: keyof typeof regions): void {
    // The same words twice are only heard when they are a new node.
    regions[urgency].replaceChildren(el("span", "", {}, [waiting[urgency].join(". ")]));
    waiting[urgency] = [];
  }
  return {
    element: el("div", "visually-hidden", {}, [regions.polite, regions.assertive]),
    say(text, urgency) {
      waiting[urgency].push(text);
      // Announcements of one turn are joined: screen readers would read only the last.
      if (waiting[urgency].length === 1) queueMicrotask(() => tell(urgency));
    },
  };
}
