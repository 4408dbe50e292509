import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { modeFace } from "../../chat/session-mode.ts";
import { readSetting } from "../../editor/settings.ts";
import type { EditorQuestions } from "../../host/questions/editor-questions.ts";
import type { Chats } from "../../window/chats.ts";

/** The modes that a plan can be carried out in, the strictest one first. */
const WORK_MODES = ["confirm", "auto-edit", "sandboxed", "auto"] as const;
type WorkMode = (typeof WORK_MODES)[number];

/** Returns the commands about plans, by their ids. */
export function planCommands(chats: Chats, editors: EditorQuestions): Record<string, () => unknown> {
  return {
    "tiller.planFirst": async () => {
      await chats.focused.setMode("plan");
      await vscode.commands.executeCommand("tiller.focusChat");
    },
    "tiller.startPlan": () => startPlan(chats.focused),
    "tiller.changePlan": () => changePlan(chats.focused, editors),
    "tiller.discardPlan": () => chats.focused.planFirst.discard(),
  };
}

/** Asks for the mode to run in, and carries out the proposed plan. */
async function startPlan(chat: Chat): Promise<void> {
  await chat.planFirst.read();
  const mode = await pickWorkMode();
  if (mode !== undefined) await chat.planFirst.start(mode);
}

/** Opens the proposed plan in an editor; Submit replaces it. A text without anything discards it. */
async function changePlan(chat: Chat, editors: EditorQuestions): Promise<void> {
  const request = {
    type: "extension_ui_request",
    id: `proposed ${chat.session.key}`,
    method: "editor",
    title: t("Plan"),
    prefill: await chat.planFirst.read(),
  } as const;
  const answer = await editors.ask(request, new AbortController().signal);
  if (answer?.type === "value") await chat.planFirst.revise(answer.value);
}

async function pickWorkMode(): Promise<WorkMode | undefined> {
  const setting = readSetting("permissionMode");
  const usual = WORK_MODES.find((mode) => mode === setting) ?? "confirm";
  const items = [usual, ...WORK_MODES.filter((mode) => mode !== usual)].map((mode) => {
    const { label, icon, hint } = modeFace(mode);
    return { label: `$(${icon}) ${label}`, detail: hint, mode };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: t("Start Plan"),
    placeHolder: t("Select the permission mode to carry out the plan in"),
  });
  return chosen?.mode;
}
