import type { ExtensionAPI } from "../../extensions/author.ts";
import { mayRun } from "./hook-consent.ts";
import type { HookDesk } from "./hook-desk.ts";
import { listHooks } from "./hook-list.ts";
import { runHooks } from "./hook-runner.ts";
import type { HookEvent, HooksParts } from "./hooks-parts.ts";
import { addPromptHooks } from "./prompt-hooks.ts";
import { type HookGroup, readHooks } from "./read-hooks.ts";
import { addRunHooks } from "./run-hooks.ts";
import { addToolHooks } from "./tool-hooks.ts";

/** The hooks of this process. */
export interface HooksExtension {
  load(api: ExtensionAPI): void;
  /** Reads all hooks anew. */
  update(): void;
}

/** Adds handlers for an event that has hooks. @returns functions that remove them. */
const ADDERS: Record<HookEvent, (desk: HookDesk) => (() => void)[]> = {
  ...addPromptHooks,
  ...addToolHooks,
  ...addRunHooks,
};

/** Creates the extension that runs the commands that the user and the project keep for events. It handles only events that have hooks. */
export function createHooksExtension(parts: HooksParts): HooksExtension {
  const told = new Set<string>();
  let groups: readonly HookGroup[] = [];
  const removers: (() => void)[] = [];
  let desk: HookDesk | undefined;
  const warnOnce = (message: string) => {
    if (!told.has(message)) parts.warn(message);
    told.add(message);
  };
  const listen = () => {
    for (const remove of removers.splice(0)) remove();
    if (desk === undefined) return;
    for (const event of new Set(groups.flatMap(({ hooks }) => hooks.map((hook) => hook.event)))) {
      removers.push(...ADDERS[event](desk));
    }
  };
  const update = () => {
    groups = parts.sources().map((source) => readHooks(source, warnOnce));
    for (const group of groups.filter(({ hooks }) => hooks.length > 0)) mayRun(group, parts); // asks before the first event
    listen();
  };
  return {
    load(api) {
      desk = { api, parts, run: (occasion, ctx) => runHooks(groups, occasion, ctx, parts) };
      api.registerCommand("hooks", {
        description: "Show the hooks, and which of them run",
        handler: (_args, ctx) => ctx.ui.notify(listHooks(groups, parts), "info"),
      });
      update();
    },
    update,
  };
}
