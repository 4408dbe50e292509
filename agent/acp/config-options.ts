import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import { PermissionMode } from "../protocol/approvals.ts";
import type { SessionState } from "../protocol/commands.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";

/** What can be chosen in a session, and what is chosen. */
export interface Choices {
  state: Pick<SessionState, "permissionMode" | "model" | "thinkingLevel">;
  models: readonly Model[];
  levels: readonly ThinkingLevel[];
}

const MODES: Record<PermissionMode, { name: string; description: string }> = {
  confirm: {
    name: "Ask First",
    description: "Asks before changing a file or running a command that changes something",
  },
  "auto-edit": {
    name: "Auto-Edit",
    description:
      "Changes files in the workspace without asking, and asks before running commands that change something",
  },
  sandboxed: {
    name: "Sandboxed",
    description: "Like Auto-Edit, and runs commands in a sandbox without asking, on macOS, or on Linux with bubblewrap",
  },
  auto: { name: "Full Access", description: "Runs commands and changes files without asking" },
  readonly: { name: "Read-Only", description: "Can't run commands or change files" },
  plan: { name: "Plan First", description: "Explores without changing anything, then proposes a plan" },
};

const LEVELS: Record<ThinkingLevel, string> = {
  off: "Off",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra High",
  max: "Maximum",
};

/** The IDs of the options. */
export const MODE_OPTION = "mode";
export const MODEL_OPTION = "model";
export const THINKING_OPTION = "thinking";

/** Returns the permission modes. */
export function modeState({ state }: Choices): SessionModeState {
  const availableModes = modes().map((id) => ({ id, ...MODES[id] }));
  return { currentModeId: state.permissionMode, availableModes };
}

/** Returns everything that can be chosen, permission modes included. */
export function configOptions(choices: Choices): SessionConfigOption[] {
  const { state, models, levels } = choices;
  const options: SessionConfigOption[] = [
    {
      id: MODE_OPTION,
      type: "select",
      name: "Permission Mode",
      category: "mode",
      currentValue: state.permissionMode,
      options: modes().map((value) => ({ value, ...MODES[value] })),
    },
  ];
  if (state.model !== null) {
    options.push({
      id: MODEL_OPTION,
      type: "select",
      name: "Model",
      category: "model",
      currentValue: modelValue(state.model),
      options: modelOptions(models, state.model),
    });
  }
  if (levels.length > 1) {
    options.push({
      id: THINKING_OPTION,
      type: "select",
      name: "Thinking",
      category: "thought_level",
      currentValue: state.thinkingLevel,
      options: levels.map((value) => ({ value, name: LEVELS[value] })),
    });
  }
  return options;
}

/** Returns the name of a model among the values of the option. */
export function modelValue({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** The current model is listed also if its provider has no key anymore. */
function modelOptions(models: readonly Model[], current: Model): SessionConfigSelectOption[] {
  const isListed = models.some((model) => modelValue(model) === modelValue(current));
  return (isListed ? models : [current, ...models]).map((model) => ({
    value: modelValue(model),
    name: model.name,
    description: model.provider,
  }));
}

function modes(): PermissionMode[] {
  return PermissionMode.options.toSorted((a, b) => orderOf(a) - orderOf(b));
}

function orderOf(mode: PermissionMode): number {
  return Object.keys(MODES).indexOf(mode);
}
