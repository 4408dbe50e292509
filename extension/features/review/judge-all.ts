import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";

/** Maximum number of reasons that are listed; of others only the count is told. */
const MAX_REASONS = 3;

/**
 * Runs an action on each of several files; a failure does not keep it from the others.
 * @throws Error with the reasons, after all of them.
 */
export async function judgeAll<T>(files: readonly T[], judge: (file: T) => Promise<void>): Promise<void> {
  const reasons: string[] = [];
  for (const file of files) await judge(file).catch((error: unknown) => reasons.push(errorMessage(error)));
  if (reasons.length === 0) return;
  const more = reasons.length - MAX_REASONS;
  const rest = more > 0 ? [t("More files failed: {0}.", more)] : [];
  throw new Error([...reasons.slice(0, MAX_REASONS), ...rest].join(" "));
}
