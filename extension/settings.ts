import * as vscode from "vscode";
import { z } from "zod";
import { PermissionMode } from "../agent/protocol/approvals.ts";
import { ThinkingLevel } from "../agent/protocol/model.ts";

const shape = {
  "agent.command": z.string().catch(""),
  // Code of the project must not run because of a value that we cannot read.
  "agent.loadProjectResources": z.boolean().catch(false),
  "agent.env": z.record(z.string(), z.string()).catch({}),
  model: z.string().catch(""),
  thinkingLevel: z.union([ThinkingLevel, z.literal("")]).catch(""),
  // A mode that we cannot read must not be a weaker one.
  permissionMode: PermissionMode.catch("confirm"),
  costLimit: z.number().min(0).catch(0),
  sendOnEnter: z.boolean().catch(true),
  whileRunning: z.enum(["steer", "followUp"]).catch("steer"),
  maxImageBytes: z.int().min(1_000).catch(3_500_000),
  density: z.enum(["compact", "normal", "open"]).catch("normal"),
  maxParallelAgents: z.int().min(1).max(32).catch(4),
  "hostTools.allowedCommands": z.array(z.string()).catch([]),
} as const;

export type SettingName = keyof typeof shape;
/** The value of each setting `tiller.<name>`. */
export type SettingValue<N extends SettingName> = z.output<(typeof shape)[N]>;

const schemas: { readonly [N in SettingName]: { parse(value: unknown): SettingValue<N> } } = shape;

/** The settings that the agent gets on its command line: a change needs a new process. */
export const LAUNCH_SETTINGS = [
  "agent.command",
  "agent.env",
  "agent.loadProjectResources",
] as const satisfies SettingName[];

/** Reads the setting `tiller.<name>`; a value of the wrong form counts as the default. */
export function readSetting<N extends SettingName>(name: N): SettingValue<N> {
  return schemas[name].parse(vscode.workspace.getConfiguration("tiller").get<unknown>(name));
}

/** Whether `event` touches one of the settings. */
export function isAffected(event: vscode.ConfigurationChangeEvent, names: readonly SettingName[]): boolean {
  return names.some((name) => event.affectsConfiguration(`tiller.${name}`));
}
