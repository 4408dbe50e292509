import type { ExtensionLife } from "./extension-life.ts";
import type { ExtensionHost } from "./host.ts";
import type { DialogOptions, HostUi, UiNotice } from "./ui.ts";

/** The host as one extension sees it: it refuses after the extension's end, and what the extension showed goes then. */
export function guardHost(host: ExtensionHost, life: ExtensionLife): ExtensionHost {
  const ui = guardUi(host.ui, life);
  return new Proxy(host, {
    get(target, name) {
      life.requireActive();
      return name === "ui" ? ui : Reflect.get(target, name);
    },
  });
}

function guardUi(ui: HostUi, life: ExtensionLife): HostUi {
  const shown = new Map<string, UiNotice>();
  life.atEnd(() => {
    for (const clearing of shown.values()) ui.tell(clearing);
  });
  const until = <Options extends DialogOptions>(dialog: Options | undefined) => {
    life.requireActive();
    const signal = dialog?.signal;
    return { ...dialog, signal: signal === undefined ? life.signal : AbortSignal.any([signal, life.signal]) };
  };
  return {
    select: (title, options, dialog) => ui.select(title, options, until(dialog)),
    confirm: (title, message, dialog) => ui.confirm(title, message, until(dialog)),
    input: (title, placeholder, dialog) => ui.input(title, placeholder, until(dialog)),
    editor: (title, prefill, dialog) => ui.editor(title, prefill, until(dialog)),
    tell(notice) {
      life.requireActive();
      remember(notice, shown);
      ui.tell(notice);
    },
  };
}

/** Keeps, for everything that stays on the screen, the notice that takes it away again. */
function remember(notice: UiNotice, shown: Map<string, UiNotice>): void {
  if (notice.method === "setStatus") {
    const { method, statusKey } = notice;
    if (notice.statusText === undefined) shown.delete(`${method} ${statusKey}`);
    else shown.set(`${method} ${statusKey}`, { method, statusKey });
  } else if (notice.method === "setWidget") {
    const { method, widgetKey } = notice;
    if (notice.widgetLines === undefined) shown.delete(`${method} ${widgetKey}`);
    else shown.set(`${method} ${widgetKey}`, { method, widgetKey });
  }
}
