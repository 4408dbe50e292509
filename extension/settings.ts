import * as vscode from "vscode";
import type { z } from "zod";
import { SETTING_SHAPES } from "./setting-shapes.ts";

export type SettingName = keyof typeof SETTING_SHAPES;
/** The value of each setting `tiller.<name>`. */
export type SettingValue<N extends SettingName> = z.output<(typeof SETTING_SHAPES)[N]>;

const schemas: { readonly [N in SettingName]: { parse(value: unknown): SettingValue<N> } } = SETTING_SHAPES;

/** The settings that the agent gets on its command line: a change needs a new process. */
export const LAUNCH_SETTINGS = [
  "agent.command",
  "agent.env",
  "agent.loadProjectResources",
] as const satisfies SettingName[];

/** The settings that say which tools agents are lent. */
export const TOOL_SETTINGS = [
  "hostTools.languageModelTools",
  "hostTools.disabled",
  "hostTools.approval",
] as const satisfies SettingName[];

/** Reads the setting `tiller.<name>`; a value of the wrong form counts as the default. */
export function readSetting<N extends SettingName>(name: N): SettingValue<N> {
  return schemas[name].parse(vscode.workspace.getConfiguration("tiller").get<unknown>(name));
}

/** Whether `event` touches one of the settings. */
export function isAffected(event: vscode.ConfigurationChangeEvent, names: readonly SettingName[]): boolean {
  return names.some((name) => event.affectsConfiguration(`tiller.${name}`));
}
