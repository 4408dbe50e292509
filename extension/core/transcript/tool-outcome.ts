import type { ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import { t } from "../../../webview/l10n.ts";
import type { ToolItem } from "../../../webview/protocol/items.ts";
import { WrittenPlan } from "./plan.ts";

/** Returns what came of a call in words, for tools whose result says more than their arguments. */
export function outcomeOf(
  toolName: string,
  { content, details }: ToolResultPayload,
): Partial<Pick<ToolItem, "phrase" | "intent">> {
  if (toolName === "todo_write") return planOutcome(details);
  const [first] = content;
  if (toolName !== "vscode_find_references" || first?.type !== "text") return {};
  const found = /^(\d+) references? of /.exec(first.text)?.[1];
  if (found === undefined) return {};
  return {
    phrase: found === "1" ? t("Found 1 reference to {0}", "{0}") : t("Found {1} references to {0}", "{0}", found),
  };
}

function planOutcome(details: unknown): Partial<Pick<ToolItem, "intent">> {
  const written = WrittenPlan.safeParse(details);
  if (!written.success) return {};
  const tasks = written.data.phases.flatMap((phase) => phase.tasks);
  const done = tasks.filter(({ status }) => status === "completed").length;
  return { intent: t("{0} of {1} done", done, tasks.length) };
}
