import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { readSetting } from "../../editor/settings.ts";
import type { HostToolSet, ToolTier } from "./host-tool-set.ts";
import { namesOff, type ToolRow, toolGroups } from "./tool-list.ts";

const DISABLED = "hostTools.disabled";
const TIERS = "hostTools.approval";

interface ToolItem extends vscode.QuickPickItem {
  /** Absent for the title of a group. */
  readonly row?: ToolRow;
}

/** The state of the list: selection, search text and position. */
interface Place {
  /** Names of unchecked tools, including those that are not there now. */
  readonly off: readonly string[];
  readonly search: string;
  /** The tool that has the keyboard focus. */
  readonly at: string | undefined;
}

/** The outcome of showing the list: setting how a tool is asked for, accepting the selection, or dismissing the list. */
type Outcome =
  | { readonly kind: "tier"; readonly name: string }
  | { readonly kind: "taken" }
  | { readonly kind: "left" };

/** Shows the list in which the user turns tools on and off and sets the approval of each. */
export async function manageHostTools(hostTools: HostToolSet): Promise<void> {
  await hostTools.look();
  let place: Place = { off: readSetting(DISABLED), search: "", at: undefined };
  for (;;) {
    const { outcome, off, search } = await showList(hostTools, place);
    if (outcome.kind === "left") return;
    if (outcome.kind === "taken") {
      await vscode.workspace.getConfiguration("tiller").update(DISABLED, off, vscode.ConfigurationTarget.Global);
      return;
    }
    await chooseTier(outcome.name, hostTools);
    place = { off, search, at: outcome.name };
  }
}

async function showList(
  hostTools: HostToolSet,
  { off, search, at }: Place,
): Promise<Place & { readonly outcome: Outcome }> {
  const pick = vscode.window.createQuickPick<ToolItem>();
  const shield = { iconPath: new vscode.ThemeIcon("shield"), tooltip: t("Change Approval…") };
  pick.title = t("Host Tools");
  pick.placeholder = t("Select the tools the agent may use");
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = toolGroups(hostTools).flatMap(({ title, rows }): ToolItem[] => [
    { label: title, kind: vscode.QuickPickItemKind.Separator },
    ...rows.map((row) => ({ row, label: row.label, description: row.state, detail: row.detail, buttons: [shield] })),
  ]);
  const items = pick.items.filter(({ row }) => row !== undefined);
  const namesIn = (some: readonly ToolItem[]) => some.flatMap(({ row }) => (row === undefined ? [] : [row.name]));
  pick.selectedItems = items.filter(({ row }) => row !== undefined && !off.includes(row.name));
  pick.value = search;
  pick.activeItems = items.filter(({ row }) => row?.name === at);
  const outcome = await new Promise<Outcome>((resolve) => {
    const askFor = (row: ToolRow | undefined) => row !== undefined && resolve({ kind: "tier", name: row.name });
    pick.onDidTriggerItemButton(({ item }) => askFor(item.row));
    pick.onDidAccept(() => resolve({ kind: "taken" }));
    pick.onDidHide(() => resolve({ kind: "left" }));
    pick.show();
  });
  const offNow = namesOff(off, namesIn(items), namesIn(pick.selectedItems));
  const left = { outcome, off: offNow, search: pick.value, at: undefined };
  pick.dispose();
  return left;
}

async function chooseTier(name: string, hostTools: HostToolSet): Promise<void> {
  const now = hostTools.tier(name);
  const item = (label: string, tier: ToolTier | undefined) =>
    tier === now ? { label, tier, description: t("current") } : { label, tier };
  const chosen = await vscode.window.showQuickPick(
    [
      item(t("Default for This Tool"), undefined),
      item(t("Never Ask"), "free"),
      item(t("Ask Unless a Rule Allows It"), "ask"),
      item(t("Always Ask"), "always"),
    ],
    { title: name },
  );
  if (chosen === undefined || chosen.tier === now) return;
  const configuration = vscode.workspace.getConfiguration("tiller");
  const { [name]: _before, ...others } = configuration.get<Record<string, unknown>>(TIERS) ?? {};
  const tiers = chosen.tier === undefined ? others : { ...others, [name]: chosen.tier };
  await configuration.update(TIERS, tiers, vscode.ConfigurationTarget.Global);
}
