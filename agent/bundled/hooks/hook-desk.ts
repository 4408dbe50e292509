import type { ExtensionAPI, ExtensionContext } from "../../extensions/author.ts";
import type { HookVerdict, Occasion } from "./hook-runner.ts";
import type { HooksParts } from "./hooks-parts.ts";

/** The environment of the handlers of one kind of event. */
export interface HookDesk {
  api: ExtensionAPI;
  parts: HooksParts;
  /** Runs the hooks of an event. */
  run(occasion: Occasion, ctx: ExtensionContext): Promise<HookVerdict>;
}
