import { t } from "../l10n.ts";
import type { TraceRow } from "../protocol/trace.ts";
import { el } from "../view/common/dom.ts";

/** Which frames are wanted. Empty parts want all. */
export interface Wanted {
  readonly direction: string;
  readonly type: string;
  readonly text: string;
}

/** The controls that choose frames. */
export interface Filters {
  readonly element: HTMLElement;
  wanted(): Wanted;
  /** Offers the types of these rows, beside those that are there. */
  offer(rows: readonly TraceRow[]): void;
  focus(): void;
}

/** The pause in typing before a search starts, in ms. */
const TYPING_MS = 150;

/** The first word of what the list calls a type. */
export function kindOf({ type }: TraceRow): string {
  return type.split(" ", 1)[0] ?? "";
}

/** Makes the controls. @param changed is called when other frames are wanted. */
export function createFilters(changed: () => void): Filters {
  const direction = select(t("Direction"), [
    ["", t("All directions")],
    ["out", t("To the agent")],
    ["in", t("From the agent")],
    ["host", t("By Tiller")],
  ]);
  const type = select(t("Type"), [["", t("All types")]]);
  const words = t("Find in frames");
  const text = el("input", "", { type: "search", placeholder: words, "aria-label": words, spellcheck: "false" });
  let timer: number | undefined;
  direction.addEventListener("change", changed);
  type.addEventListener("change", changed);
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(changed, TYPING_MS);
  });
  const known = new Set<string>();
  return {
    element: el("div", "filters", { role: "search" }, [direction, type, text]),
    wanted: () => ({ direction: direction.value, type: type.value, text: text.value.trim() }),
    focus: () => text.focus(),
    offer(rows) {
      for (const kind of new Set(rows.map(kindOf))) {
        if (known.has(kind)) continue;
        known.add(kind);
        const before = [...type.options].find(({ value }) => value > kind) ?? null;
        type.insertBefore(el("option", "", { value: kind }, [kind]), before);
      }
    },
  };
}

function select(label: string, options: readonly (readonly [value: string, words: string])[]): HTMLSelectElement {
  const children = options.map(([value, words]) => el("option", "", { value }, [words]));
  return el("select", "", { "aria-label": label, title: label }, children);
}
