import type { LoggedDecision } from "../../../agent/protocol/approvals.ts";
import { t } from "../../../webview/l10n.ts";
import { modeFace } from "../../chat/session-mode.ts";

/** Returns who decided about a call and how, in words. */
export function decisionWords({ decision, by, mode, rules = [], isContained }: LoggedDecision): string {
  const isAllowed = decision === "allowed";
  const rule = rules.join(", ");
  switch (by) {
    case "user":
      if (rule !== "") return t("Allowed by you, with the rule {0}", rule);
      return isAllowed ? t("Allowed by you") : t("Denied by you");
    case "rule":
      return t("Allowed by the rule {0}", rule);
    case "mode":
      if (isContained === true) return t("Ran in the sandbox");
      return isAllowed
        ? t("Allowed in the mode {0}", modeFace(mode).label)
        : t("Denied in the mode {0}", modeFace(mode).label);
    case "hook":
      return t("Allowed by a hook");
    case "setting":
      return t("Denied by the setting denyRead");
    case "nobody":
      return t("Denied without an answer");
  }
}
