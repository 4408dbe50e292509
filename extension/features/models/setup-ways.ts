import * as vscode from "vscode";
import type { Model } from "../../../agent/protocol/model.ts";
import { t } from "../../../webview/l10n.ts";
import { EDITOR_PROVIDER } from "../../core/connection/editor-provider.ts";
import { type KeyProvider, providerName } from "../../core/keys/key-providers.ts";
import { SIGN_INS, type SignIn } from "../../core/keys/sign-ins.ts";
import type { FoundServer } from "../../core/setup/local-servers.ts";

/** A provider, and its key if there is one. */
export interface KeySource {
  readonly provider: KeyProvider;
  readonly found: { readonly key: string; readonly isStored: boolean } | undefined;
}

/** A way to a model. */
export type SetupWay =
  | { readonly kind: "models"; readonly models: readonly Model[] }
  | { readonly kind: "server"; readonly server: FoundServer }
  | { readonly kind: "foundKey"; readonly provider: KeyProvider; readonly key: string }
  | { readonly kind: "newKey"; readonly provider: KeyProvider }
  | { readonly kind: "signIn"; readonly signIn: SignIn }
  | { readonly kind: "file" };

interface SetupSources {
  readonly models: Promise<readonly Model[]>;
  readonly keys: Promise<readonly KeySource[]>;
  /** Looks for local servers until `signal` aborts. */
  servers(signal: AbortSignal): Promise<readonly FoundServer[]>;
}

interface WayItem extends vscode.QuickPickItem {
  readonly way?: SetupWay;
}

/** Shows the ways to a model; the list grows while local servers are looked for. Resolves to the selected one; rejects when a source does. */
export function pickWay(sources: SetupSources): Promise<SetupWay | undefined> {
  const quickPick = vscode.window.createQuickPick<WayItem>();
  quickPick.title = t("Set Up a Model");
  quickPick.placeholder = t("Select where your model runs");
  quickPick.matchOnDescription = true;
  quickPick.busy = true;
  const closed = new AbortController();
  return new Promise((resolve, reject) => {
    fill(quickPick, sources, closed.signal).catch((error: unknown) => {
      reject(error);
      quickPick.hide();
    });
    quickPick.onDidAccept(() => {
      resolve(quickPick.selectedItems[0]?.way);
      quickPick.hide();
    });
    quickPick.onDidTriggerItemButton(({ item: { way } }) => {
      if (way?.kind === "newKey") void vscode.env.openExternal(vscode.Uri.parse(way.provider.keysUrl));
    });
    quickPick.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}

async function fill(quickPick: vscode.QuickPick<WayItem>, sources: SetupSources, closed: AbortSignal): Promise<void> {
  const searching = sources.servers(closed);
  const [models, keys] = await Promise.all([sources.models, sources.keys]);
  if (closed.aborted) return;
  quickPick.items = wayItems(models, keys, []);
  const servers = await searching;
  if (closed.aborted) return;
  const [active] = quickPick.activeItems;
  quickPick.items = wayItems(models, keys, servers);
  quickPick.activeItems = quickPick.items.filter(({ label }) => label === active?.label);
  quickPick.busy = false;
}

function wayItems(
  models: readonly Model[],
  keys: readonly KeySource[],
  servers: readonly FoundServer[],
): readonly WayItem[] {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  const isThere = (id: string) => providers.includes(id);
  const ready = [
    ...providers.map((id) => modelsItem(id, models, keys)),
    ...keys.flatMap((source) => (isThere(source.provider.id) ? [] : foundKeyItem(source))),
    ...servers.map(serverItem),
  ];
  const others = keys.filter(({ provider, found }) => found === undefined && !isThere(provider.id));
  const file = { label: t("Custom Models…"), description: t("Edit models.json"), way: { kind: "file" } } as const;
  return [
    ...(ready.length === 0 ? [] : [heading(t("Ready to use")), ...ready]),
    heading(t("With an API key")),
    ...others.map(({ provider }) => newKeyItem(provider)),
    heading(t("With a sign-in")),
    ...SIGN_INS.filter(({ id }) => !isThere(id)).map(signInItem),
    heading(""),
    file,
  ];
}

function heading(label: string): WayItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function modelsItem(id: string, all: readonly Model[], keys: readonly KeySource[]): WayItem {
  const models = all.filter(({ provider }) => provider === id);
  const source = keys.find(({ provider }) => provider.id === id);
  const count = wordCount(models.length);
  return {
    label: id === EDITOR_PROVIDER ? vscode.env.appName : providerName(id),
    description: source?.found === undefined ? count : `${count} · ${wordKey(source)}`,
    iconPath: new vscode.ThemeIcon("check"),
    way: { kind: "models", models },
  };
}

function foundKeyItem(source: KeySource): WayItem[] {
  const { provider, found } = source;
  if (found === undefined) return [];
  const way = { kind: "foundKey", provider, key: found.key } as const;
  return [{ label: provider.name, description: wordKey(source), iconPath: new vscode.ThemeIcon("key"), way }];
}

function serverItem(server: FoundServer): WayItem {
  return {
    label: server.name,
    description: `${wordCount(server.models.length)} · ${new URL(server.baseUrl).host}`,
    iconPath: new vscode.ThemeIcon("server"),
    way: { kind: "server", server },
  };
}

function newKeyItem(provider: KeyProvider): WayItem {
  return {
    label: provider.name,
    description: t("Get a key at {0}", new URL(provider.keysUrl).host),
    iconPath: new vscode.ThemeIcon("key"),
    buttons: [{ iconPath: new vscode.ThemeIcon("link-external"), tooltip: t("Get an API Key") }],
    way: { kind: "newKey", provider },
  };
}

function signInItem(signIn: SignIn): WayItem {
  return {
    label: signIn.name,
    description: signIn.advice(),
    iconPath: new vscode.ThemeIcon("account"),
    way: { kind: "signIn", signIn },
  };
}

function wordCount(count: number): string {
  return count === 1 ? t("1 model") : t("{0} models", count);
}

function wordKey({ provider, found }: KeySource): string {
  return found?.isStored === true ? t("stored API key") : t("{0} in the environment", provider.variable);
}
