import type { TraceLimits } from "../core/trace/wire-trace.ts";
import { readSetting } from "../editor/settings.ts";

const UNITS_PER_MEGABYTE = 1_000_000;

/** Reads the settings that limit the trace of the wire. */
export function traceLimits(): TraceLimits {
  return {
    isEnabled: readSetting("trace.enabled"),
    maxChars: readSetting("trace.maxMegabytes") * UNITS_PER_MEGABYTE,
  };
}
