import * as z from "zod";
import type { ProjectTrustContext, ProjectTrustEvent } from "./api-trust.ts";
import type { ExtensionRunner } from "./runner.ts";

const Decision = z.lazy(() => z.object({ trusted: z.enum(["yes", "no"]), remember: z.boolean().optional() }));

/** The decision of an extension. */
export interface TrustDecision {
  isTrusted: boolean;
  /** True if that holds from now on. */
  isKept: boolean;
}

/** Hosts wait half a minute for an agent that starts. */
const DECISION_LIMIT_MS = 10_000;
const TOO_LATE = "the project was not judged within 10 seconds";

/** Asks extensions whether a project is trusted; the first that says yes or no decides. @returns undefined when none does in time. */
export async function askForTrust(runner: ExtensionRunner, cwd: string): Promise<TrustDecision | undefined> {
  if (!runner.handles("project_trust")) return undefined;
  const context: ProjectTrustContext = {
    cwd,
    mode: "rpc",
    hasUI: false,
    ui: {
      select: async () => undefined,
      confirm: async () => false,
      input: async () => undefined,
      notify: () => undefined,
    },
  };
  let decision: TrustDecision | undefined;
  const limit = new AbortController();
  // Nothing else may keep the process alive by now, and `AbortSignal.timeout` would not.
  const timer = setTimeout(() => limit.abort(), DECISION_LIMIT_MS);
  const take = (result: unknown, extensionPath: string) => {
    if (limit.signal.aborted) {
      runner.report({ extensionPath, event: "project_trust", error: TOO_LATE });
      return true;
    }
    const { data } = Decision.safeParse(result);
    if (data !== undefined) decision = { isTrusted: data.trusted === "yes", isKept: data.remember === true };
    return data !== undefined;
  };
  const event: ProjectTrustEvent = { type: "project_trust", cwd };
  try {
    await runner.ask(event, take, { signal: limit.signal, context });
  } finally {
    clearTimeout(timer);
  }
  return decision;
}
