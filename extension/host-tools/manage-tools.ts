import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import type { HostTool } from "./host-tool.ts";
import type { ToolNeed } from "./tool-needs.ts";
import type { ToolShelf, ToolTier } from "./tool-shelf.ts";

const DISABLED = "hostTools.disabled";
const TIERS = "hostTools.approval";

interface ToolItem extends vscode.QuickPickItem {
  readonly name: string;
}

/** Lets the user switch tools on and off, and say how each is asked for. */
export async function manageHostTools(shelf: ToolShelf): Promise<void> {
  const tools = shelf.everything.filter(({ definition }) => definition.hidden !== true);
  await shelf.look();
  const pick = vscode.window.createQuickPick<ToolItem>();
  pick.title = t("Tools of the Editor for the Agent");
  pick.placeholder = t("Checked tools are lent to the agent");
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  const button = { iconPath: new vscode.ThemeIcon("shield"), tooltip: t("How it is asked for") };
  pick.items = tools.map((tool) => ({ ...describe(tool, shelf), buttons: [button] }));
  const on = new Set(tools.filter((tool) => shelf.isOn(tool)).map(({ definition }) => definition.name));
  pick.selectedItems = pick.items.filter(({ name }) => on.has(name));
  const chosen = await new Promise<readonly ToolItem[] | undefined>((resolve) => {
    pick.onDidTriggerItemButton(({ item }) => {
      resolve(undefined);
      void chooseTier(item.name);
    });
    pick.onDidAccept(() => resolve(pick.selectedItems));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  });
  pick.dispose();
  if (chosen === undefined) return;
  const wanted = new Set(chosen.map(({ name }) => name));
  const off = tools.map(({ definition }) => definition.name).filter((name) => !wanted.has(name));
  await vscode.workspace.getConfiguration("tiller").update(DISABLED, off, vscode.ConfigurationTarget.Global);
}

function describe({ definition, need }: HostTool, shelf: ToolShelf): ToolItem {
  const { name, label, readOnly, approval } = definition;
  const asked =
    readOnly === true ? t("not asked for") : approval === "always" ? t("asked for each time") : t("asked for");
  const missing = need === undefined || shelf.isThere(need) ? [] : [wordMissing(need)];
  const description = [name, asked, ...missing].join(" · ");
  return { name, label: label ?? name, description, detail: definition.description };
}

function wordMissing(need: ToolNeed): string {
  const words: Record<ToolNeed, string> = {
    git: t("not lent now: no git repository"),
    tasks: t("not lent now: no tasks"),
    debugger: t("not lent now: no launch configuration, no breakpoint"),
    tests: t("not lent now: no extension with tests"),
    notebook: t("not lent now: no notebook"),
    allowedCommands: t("not lent now: no command is allowed in the settings"),
  };
  return words[need];
}

async function chooseTier(name: string): Promise<void> {
  const item = (label: string, tier: ToolTier | undefined) => ({ label, tier });
  const chosen = await vscode.window.showQuickPick(
    [
      item(t("As the tool says"), undefined),
      item(t("Never ask"), "free"),
      item(t("Ask, and let rules allow it"), "ask"),
      item(t("Ask each time"), "always"),
    ],
    { title: name },
  );
  if (chosen === undefined) return;
  const configuration = vscode.workspace.getConfiguration("tiller");
  const { [name]: _before, ...others } = configuration.get<Record<string, unknown>>(TIERS) ?? {};
  const tiers = chosen.tier === undefined ? others : { ...others, [name]: chosen.tier };
  await configuration.update(TIERS, tiers, vscode.ConfigurationTarget.Global);
}
