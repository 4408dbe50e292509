import * as z from "zod";
import { PermissionMode } from "../../agent/protocol/approvals.ts";
import { ThinkingLevel } from "../../agent/protocol/model.ts";
import { Delivery } from "../../webview/protocol/draft.ts";
import { SIGNAL_SETTINGS } from "./signal.ts";

const signal = z.enum(SIGNAL_SETTINGS).catch("notification");

/** The schema of each setting `tiller.<name>`; an invalid value counts as the default, or as the value that allows less. */
export const SETTING_SHAPES = {
  "agent.command": z.string().catch(""),
  // Code of the project must not run because of a value that we cannot read.
  "agent.loadProjectResources": z.boolean().catch(false),
  "agent.env": z.record(z.string(), z.string()).catch({}),
  model: z.string().catch(""),
  titleModel: z.string().catch(""),
  thinkingLevel: z.union([ThinkingLevel, z.literal("")]).catch(""),
  // A mode that we cannot read must not be a weaker one.
  permissionMode: PermissionMode.catch("confirm"),
  denyRead: z.array(z.string()).catch([]),
  // A setting that can't be read must not make the agent ask less.
  askForReadOnlyCommands: z.boolean().catch(true),
  costLimit: z.number().min(0).catch(0),
  autoResume: z.boolean().catch(true),
  sendOnEnter: z.boolean().catch(true),
  // A setting that can't be read attaches nothing.
  autoContext: z.enum(["never", "off", "selection", "file+selection"]).catch("off"),
  whileRunning: Delivery.catch("steer"),
  commandChat: z.enum(["current", "new"]).catch("current"),
  sendFixAtOnce: z.boolean().catch(false),
  maxImageBytes: z.int().min(1_000).catch(3_500_000),
  density: z.enum(["compact", "normal", "open"]).catch("normal"),
  "notifications.needsYou": signal,
  "notifications.done": signal,
  "notifications.failed": signal,
  maxParallelAgents: z.int().min(1).max(32).catch(4),
  "trace.enabled": z.boolean().catch(true),
  "trace.maxMegabytes": z.number().min(1).max(256).catch(4),
  "hostTools.languageModelTools": z.boolean().catch(true),
  "hostTools.disabled": z.array(z.string()).catch([]),
  // A setting that can't be read must not make the agent ask less.
  "hostTools.approval": z.record(z.string(), z.enum(["free", "ask", "always"])).catch({}),
  "hostTools.reportProblems": z.boolean().catch(true),
  "hostTools.allowedCommands": z.array(z.string()).catch([]),
} as const;

export type SettingName = keyof typeof SETTING_SHAPES;
/** The value of each setting `tiller.<name>`. */
export type SettingValue<N extends SettingName> = z.output<(typeof SETTING_SHAPES)[N]>;

/** The values of one setting in different places; undefined where nothing is set. */
interface FoundValues {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

const PARSERS: { readonly [N in SettingName]: { parse(value: unknown): SettingValue<N> } } = SETTING_SHAPES;

/** Settings that protect the user. Anybody may have written a workspace's files, so their values count only if they are stricter. */
const STRICTER: { readonly [N in SettingName]?: (one: SettingValue<N>, other: SettingValue<N>) => SettingValue<N> } = {
  permissionMode: firstOf(["readonly", "plan", "confirm", "auto-edit", "sandboxed", "auto"]),
  autoContext: firstOf(["never", "off", "selection", "file+selection"]),
  costLimit: (one, other) => (one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)),
  askForReadOnlyCommands: (one, other) => one || other,
  "agent.loadProjectResources": (one, other) => one && other,
  "hostTools.languageModelTools": (one, other) => one && other,
};

/** Returns the value that takes effect. An invalid value counts as the default. */
export function mergedSetting<N extends SettingName>(name: N, found: FoundValues): SettingValue<N> {
  const parser = PARSERS[name];
  const ofUser = found.globalValue ?? found.defaultValue;
  const ofWorkspace = [found.workspaceValue, found.workspaceFolderValue].filter((value) => value !== undefined);
  const stricter = STRICTER[name];
  if (stricter === undefined) return parser.parse(ofWorkspace.at(-1) ?? ofUser);
  return ofWorkspace.map((value) => parser.parse(value)).reduce(stricter, parser.parse(ofUser));
}

/** Returns a function that picks the value that comes first in `order`. */
function firstOf<Value>(order: readonly Value[]): (one: Value, other: Value) => Value {
  return (one, other) => (order.indexOf(one) <= order.indexOf(other) ? one : other);
}
