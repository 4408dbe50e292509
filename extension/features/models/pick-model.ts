import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { type ModelRow, modelName, modelRows } from "../../chat/model-rows.ts";
import { pickThinkingLevel } from "./pickers.ts";
import type { RecentModels } from "./recent-models.ts";

function thinkingButton(): vscode.QuickInputButton {
  return {
    iconPath: new vscode.ThemeIcon("lightbulb"),
    tooltip: t("Select Model and Thinking Level"),
  };
}

/** The user's choice in the list. */
interface Choice {
  readonly row: ModelRow;
  readonly wantsLevel: boolean;
}

type Item = vscode.QuickPickItem & { readonly row: ModelRow };

/** Actions of the list other than picking a model. */
interface OtherWays {
  /** Asks for a key of a provider. */
  setKey(provider: string): Promise<void>;
  /** Opens the file with the user's own models. */
  editFile(): Promise<void>;
}

/** Lets the user pick the model of this session, or one of the other actions. */
export async function pickModel(chat: Chat, recent: RecentModels, ways: OtherWays): Promise<void> {
  const [{ models }, state] = await Promise.all([
    chat.request("get_available_models", {}),
    chat.request("get_state", { omit: ["systemPrompt", "dumpTools"] }),
  ]);
  const rows = modelRows({
    models,
    editorName: vscode.env.appName,
    current: state.model === null ? undefined : modelName(state.model),
    thinkingLevel: state.thinkingLevel,
    recent: recent.list,
    used: chat.usage.models,
  });
  const choice = await choose(rows.map(toItem));
  if (choice?.row.kind === "setKey") await ways.setKey(choice.row.provider);
  if (choice?.row.kind === "ownModels") await ways.editFile();
  if (choice?.row.kind !== "model") return;
  const { provider, id, name } = choice.row.model;
  await chat.request("set_model", { provider, modelId: id });
  await recent.add(modelName({ provider, id }));
  await chat.refresh();
  const level = chat.transcript.ui.thinkingLevel;
  if (level !== state.thinkingLevel && state.model?.reasoning === true) {
    void vscode.window.setStatusBarMessage(
      t("Changed the thinking level to {1} because {2} doesn't support {0}", state.thinkingLevel, level, name),
      6_000,
    );
  }
  if (choice.wantsLevel) await pickThinkingLevel(chat);
}

function toItem(row: ModelRow): Item {
  switch (row.kind) {
    case "heading":
      return { row, label: row.label, kind: vscode.QuickPickItemKind.Separator };
    case "setKey":
      return { row, label: row.label, description: row.description, iconPath: new vscode.ThemeIcon("key") };
    case "ownModels":
      return { row, label: row.label, description: row.description, iconPath: new vscode.ThemeIcon("server") };
    case "model":
      return {
        row,
        label: row.label,
        description: row.description,
        detail: row.detail,
        buttons: row.model.reasoning ? [thinkingButton()] : [],
      };
  }
}

function choose(items: readonly Item[]): Promise<Choice | undefined> {
  const quickPick = vscode.window.createQuickPick<Item>();
  quickPick.title = t("Select Model");
  quickPick.placeholder = t("Search by name, ID, or provider");
  quickPick.matchOnDescription = true;
  quickPick.items = items;
  quickPick.activeItems = items.filter(({ row }) => row.kind === "model" && row.isCurrent);
  return new Promise((resolve) => {
    const done = (item: Item | undefined, wantsLevel: boolean) => {
      resolve(item && { row: item.row, wantsLevel });
      quickPick.hide();
    };
    quickPick.onDidAccept(() => done(quickPick.selectedItems[0], false));
    quickPick.onDidTriggerItemButton(({ item }) => done(item, true));
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}
