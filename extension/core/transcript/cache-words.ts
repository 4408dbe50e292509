import type { CacheRewrite } from "../../../agent/protocol/cache-rewrite.ts";
import { t } from "../../../webview/l10n.ts";

/** The maximum number of tools that a sentence names. */
const MAX_NAMES = 3;

/** Returns a sentence that says why a provider couldn't use its cache. */
export function wordCacheRewrite({ cause, added = [], removed = [], changed = [] }: CacheRewrite): string {
  switch (cause) {
    case "model":
      return t("Cache rewritten: the model changed");
    case "expired":
      return t("Cache rewritten: it had expired");
    case "tools": {
      const changes = [
        ...(added.length > 0 ? [t("added: {0}", listed(added))] : []),
        ...(removed.length > 0 ? [t("removed: {0}", listed(removed))] : []),
        ...(changed.length > 0 ? [t("changed: {0}", listed(changed))] : []),
      ].join("; ");
      return changes === ""
        ? t("Cache rewritten: the list of tools changed")
        : t("Cache rewritten: the list of tools changed ({0})", changes);
    }
    case "system_prompt":
      return t("Cache rewritten: the system prompt changed");
    case "thinking_level":
      return t("Cache rewritten: the thinking level changed");
    case "compaction":
      return t("Cache rewritten: the history was compacted");
    case "pruning":
      return t("Cache rewritten: old tool results were left out");
    case "branch":
      return t("Cache rewritten: the chat continued from an earlier message");
    case "refusal":
      return t("Cache rewritten: the provider refused a part of the chat");
    case "shortening":
      return t("Cache rewritten: long messages were shortened");
    case "images":
      return t("Cache rewritten: old images were left out");
    case "history":
      return t("Cache rewritten: earlier messages changed");
  }
}

function listed(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? ", …" : "");
}
