import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { KnownSecrets } from "../../editor/known-secrets.ts";
import type { Chats } from "../../window/chats.ts";
import { traceLimits } from "../../window/trace-limits.ts";
import { ReplayTabs } from "./replay-tabs.ts";
import type { TraceLog } from "./trace-page.ts";
import { readTraceFile, TraceTabs } from "./trace-tabs.ts";

/** The traces and replays of this window, and the commands for them, by id. */
export class Traces implements vscode.Disposable {
  readonly #tabs: TraceTabs;
  readonly #replays: ReplayTabs;
  readonly #chats: Chats;
  readonly #editor: vscode.Disposable;

  constructor(parts: {
    readonly context: vscode.ExtensionContext;
    readonly chats: Chats;
    readonly known: KnownSecrets;
    readonly log: TraceLog;
    readonly report: (work: Promise<unknown>) => void;
  }) {
    this.#chats = parts.chats;
    this.#replays = new ReplayTabs(parts.context.extensionUri);
    this.#tabs = new TraceTabs({
      ...parts,
      titleOf: (chat) => parts.chats.titleOf(chat),
      replay: (trace) => this.#replays.open(trace),
    });
    this.#editor = vscode.window.registerCustomEditorProvider(TraceTabs.editorType, this.#tabs, {
      webviewOptions: { retainContextWhenHidden: true },
    });
  }

  get commands(): Record<string, (argument: unknown) => Promise<unknown>> {
    return {
      "tiller.openTrace": () => this.#tabs.open(this.#chats.focused),
      "tiller.saveTrace": () => this.#tabs.save(this.#chats.focused),
      "tiller.replayTrace": (argument) => this.#replayFile(argument instanceof vscode.Uri ? argument : undefined),
      "tiller.pauseReplay": async () => this.#replays.togglePause(),
      "tiller.changeReplaySpeed": () => this.#replays.changeSpeed(),
    };
  }

  /** Applies changed settings of traces. */
  settingsChanged(): void {
    for (const chat of this.#chats.hub.chats) chat.transcript.trace.configure(traceLimits());
    this.#tabs.settingsChanged();
  }

  dispose(): void {
    this.#editor.dispose();
  }

  async #replayFile(uri: vscode.Uri | undefined): Promise<void> {
    const [chosen] =
      uri === undefined
        ? ((await vscode.window.showOpenDialog({
            title: t("Select a Trace to Replay"),
            filters: { [t("Trace")]: ["tillertrace"] },
          })) ?? [])
        : [uri];
    if (chosen !== undefined) await this.#replays.open(await readTraceFile(chosen));
  }
}
