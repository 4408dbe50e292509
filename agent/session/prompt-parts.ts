import type { SystemPromptParts } from "../prompt/system-prompt.ts";
import type { SessionModes, SessionOptions } from "./session-options.ts";

/** Returns the current parts of the system prompt: tools, skills, and settings change while the agent runs. */
export function promptParts(
  { prompt, tools, skills }: SessionOptions,
  { permission, locale }: SessionModes,
): SystemPromptParts {
  return {
    ...prompt,
    tools: [...tools.offered().values()],
    skills: skills.current.filter(({ isForModel }) => isForModel),
    date: new Date().toISOString().slice(0, 10),
    locale,
    permissionHint: permission.isEnforced ? undefined : permission.mode,
  };
}
