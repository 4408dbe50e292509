import type { UiPromptEvent } from "./extension-events.ts";
import type { HostUi } from "./ui.ts";

/** Calls `tell` when the agent starts and stops waiting for the user. Questions that are open together count as one wait, named after the first. */
export function watchPrompts(ui: HostUi, tell: (event: UiPromptEvent) => void): HostUi {
  let open = 0;
  let first: Omit<UiPromptEvent, "type"> | undefined;
  const during = async <T>(kind: UiPromptEvent["kind"], title: string, ask: () => Promise<T>): Promise<T> => {
    open++;
    if (first === undefined) {
      first = { reason: "ui_prompt", kind, title };
      tell({ type: "ui_prompt_start", ...first });
    }
    try {
      return await ask();
    } finally {
      open--;
      if (open === 0 && first !== undefined) {
        const over = first;
        first = undefined; // whoever is told may ask, which is another wait
        tell({ type: "ui_prompt_end", ...over });
      }
    }
  };
  return {
    select: (title, options, dialog) => during("select", title, () => ui.select(title, options, dialog)),
    confirm: (title, message, dialog) => during("confirm", title, () => ui.confirm(title, message, dialog)),
    input: (title, placeholder, dialog) => during("input", title, () => ui.input(title, placeholder, dialog)),
    editor: (title, prefill, dialog) => during("editor", title, () => ui.editor(title, prefill, dialog)),
    tell: (notice) => ui.tell(notice),
  };
}
