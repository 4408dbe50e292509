import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { currentCatalogue, t } from "../../../webview/l10n.ts";
import { FromPanel } from "../../../webview/protocol/from-panel.ts";
import type { ToPanel } from "../../../webview/protocol/to-panel.ts";
import { TranscriptStore } from "../../chat/transcript-store.ts";
import { panelHtml } from "../../editor/panel-html.ts";
import { Replay } from "./replay.ts";
import { ReplayPlayer, type ReplaySpeed } from "./replay-player.ts";
import type { SavedTrace } from "./trace-file.ts";

/** Conversations rebuilt from traces, as read-only tabs. */
export class ReplayTabs {
  static readonly viewType = "tiller.replay";
  readonly #extensionUri: vscode.Uri;
  readonly #tabs = new Map<vscode.WebviewPanel, ReplayPlayer>();

  constructor(extensionUri: vscode.Uri) {
    this.#extensionUri = extensionUri;
  }

  /** Asks for the speed, then opens a tab and starts. */
  async open(trace: SavedTrace): Promise<void> {
    const speed = await pickSpeed(Number.POSITIVE_INFINITY);
    if (speed === undefined) return;
    const store = new TranscriptStore({ idPrefix: trace.header.idPrefix, cwd: trace.header.cwd, uiChanged: () => {} });
    const replay = new Replay(store);
    const panel = vscode.window.createWebviewPanel(ReplayTabs.viewType, "", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    const player = new ReplayPlayer(speed, {
      entries: trace.entries,
      apply: (entry) => replay.apply(entry),
      changed: () => {
        const title = titleOf(player, trace.header.title);
        if (panel.title !== title) panel.title = title;
      },
      schedule: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
      now: () => performance.now(),
    });
    this.#tabs.set(panel, player);
    const feed = store.feed({
      send: (message) => void panel.webview.postMessage(readOnly(message)),
      draft: () => ({ chat: "", text: "", at: 0 }),
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const { data: message } = FromPanel.safeParse(raw);
      if (message?.type === "ready") {
        feed.setVisible(false);
        feed.setVisible(true);
      } else if (message?.type === "copy") {
        void vscode.env.clipboard.writeText(message.text);
      }
    });
    panel.onDidDispose(() => {
      this.#tabs.delete(panel);
      player.dispose();
      feed.dispose();
      store.dispose();
    });
    this.#draw(panel.webview);
    player.play();
  }

  /** Pauses or continues the replay in the active tab. */
  togglePause(): void {
    const player = this.#active();
    if (player?.isPaused) player.play();
    else player?.pause();
  }

  async changeSpeed(): Promise<void> {
    const player = this.#active();
    if (player === undefined) return;
    const speed = await pickSpeed(player.speed);
    if (speed !== undefined) player.setSpeed(speed);
  }

  #active(): ReplayPlayer | undefined {
    const [, player] = [...this.#tabs].find(([panel]) => panel.active) ?? [];
    return player;
  }

  #draw(webview: vscode.Webview): void {
    const root = vscode.Uri.joinPath(this.#extensionUri, "dist", "webview");
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const uriOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
    const assets = {
      cspSource: webview.cspSource,
      mainScript: uriOf("main.js"),
      toolkitScript: uriOf("toolkit.min.js"),
      styleSheet: uriOf("panel.css"),
    };
    webview.html = panelHtml(assets, currentCatalogue(), randomBytes(16).toString("hex"));
  }
}

/** Makes the page show a read-only conversation. */
function readOnly(message: ToPanel): ToPanel {
  if (message.type === "snapshot") return { ...message, ui: { ...message.ui, isReadOnly: true } };
  if (message.type === "patch" && message.ui) return { ...message, ui: { ...message.ui, isReadOnly: true } };
  return message;
}

function titleOf(player: ReplayPlayer, title: string): string {
  if (player.progress === 1) return t("Replay: {0}", title);
  const percent = Math.floor(player.progress * 100);
  return player.isPaused ? t("Replay paused at {0}%: {1}", percent, title) : t("Replay {0}%: {1}", percent, title);
}

async function pickSpeed(current: ReplaySpeed): Promise<ReplaySpeed | undefined> {
  const speeds: { label: string; speed: ReplaySpeed; description?: string }[] = [
    { label: t("Instant"), speed: Number.POSITIVE_INFINITY },
    { label: "50×", speed: 50 },
    { label: "10×", speed: 10 },
    { label: "2×", speed: 2 },
    { label: "1×", speed: 1, description: t("original speed with long pauses shortened") },
  ];
  const items = speeds.map((item) => ({ ...item, picked: item.speed === current }));
  const chosen = await vscode.window.showQuickPick(items, { title: t("Select Replay Speed") });
  return chosen?.speed;
}
