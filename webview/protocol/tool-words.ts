import { t } from "../l10n.ts";
import type { ToolState } from "./items.ts";

/** The state of a call in words. */
export function wordState(state: ToolState): string {
  return {
    preparing: t("preparing"),
    running: t("running"),
    done: t("done"),
    failed: t("failed"),
    cancelled: t("canceled"),
  }[state];
}
