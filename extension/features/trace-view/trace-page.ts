import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod";
import type { FindSecrets } from "../../../agent/util/secrets.ts";
import { currentCatalogue } from "../../../webview/l10n.ts";
import { FromTrace } from "../../../webview/protocol/trace.ts";
import { panelHtml } from "../../editor/panel-html.ts";
import { TraceFeed, type TraceSource } from "./trace-feed.ts";

/** The log for errors of a page. */
export interface TraceLog {
  warn(text: string): void;
  error(text: string): void;
}

/** An action of the page's buttons. */
export type TraceAction = Extract<FromTrace, { type: "do" }>["action"];

interface TracePageOptions {
  readonly extensionUri: vscode.Uri;
  readonly source: TraceSource;
  readonly find: FindSecrets;
  readonly log: TraceLog;
  readonly act: (action: TraceAction) => void;
}

/** A page that lists the frames of a trace in its own webview. */
export interface TracePage extends vscode.Disposable {
  /** Shows everything anew, since the trace was switched on or off. */
  restart(): void;
}

/** Shows a trace in a webview until the page is disposed. */
export function showTrace(webview: vscode.Webview, options: TracePageOptions): TracePage {
  const { extensionUri, source, find, log, act } = options;
  const feed = new TraceFeed({
    source,
    find,
    send: (message) => void webview.postMessage(message),
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const subscription = webview.onDidReceiveMessage((raw: unknown) => {
    const { data: message, error } = FromTrace.safeParse(raw);
    if (message === undefined) log.warn(`trace: a message was refused. ${z.prettifyError(error)}`);
    else if (message.type === "do") act(message.action);
    else if (message.type === "pageError") log.error(`trace: ${message.message}`);
    else feed.receive(message);
  });
  const root = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [root] };
  const uriOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const assets = { cspSource: webview.cspSource, mainScript: uriOf("trace.js"), styleSheet: uriOf("trace-page.css") };
  webview.html = panelHtml(assets, currentCatalogue(), randomBytes(16).toString("hex"));
  return {
    restart: () => feed.restart(),
    dispose() {
      subscription.dispose();
      feed.dispose();
    },
  };
}
