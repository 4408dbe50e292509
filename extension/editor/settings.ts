import * as vscode from "vscode";
import { mergedSetting, type SettingName, type SettingValue } from "./setting-shapes.ts";

/** The settings that the agent gets on its command line: a change requires a restart. */
export const LAUNCH_SETTINGS = [
  "agent.command",
  "agent.env",
  "agent.loadProjectResources",
  "denyRead",
  "askForReadOnlyCommands",
  "titleModel",
] as const satisfies SettingName[];

/** The settings that determine the host tools of agents. */
export const TOOL_SETTINGS = [
  "hostTools.languageModelTools",
  "hostTools.disabled",
  "hostTools.approval",
] as const satisfies SettingName[];

/** Returns the setting `tiller.<name>`. An invalid value counts as the default. A workspace can't loosen settings that protect the user. */
export function readSetting<N extends SettingName>(name: N): SettingValue<N> {
  return mergedSetting(name, vscode.workspace.getConfiguration("tiller").inspect<unknown>(name) ?? {});
}

/** True when `event` affects one of the settings. */
export function isAffected(event: vscode.ConfigurationChangeEvent, names: readonly SettingName[]): boolean {
  return names.some((name) => event.affectsConfiguration(`tiller.${name}`));
}
