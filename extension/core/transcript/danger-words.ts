import type { Danger, DangerKind } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";

/** Says in words what a call may do: a line for each kind of danger. */
export function wordDangers(dangers: readonly Danger[]): string[] {
  const kinds = [...new Set(dangers.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const objects = dangers.flatMap((danger) => (danger.kind === kind ? (danger.object ?? []) : []));
    return objects.length === 0 ? wordKind(kind) : wordObjects(kind, objects.join(", "));
  });
}

/** Returns the reasons of an approval that its dangers don't say. */
export function otherReasons(reasons: readonly string[], dangers: readonly Danger[]): string[] {
  return reasons.filter((reason) => !dangers.some((danger) => danger.reason === reason));
}

function wordObjects(kind: DangerKind, objects: string): string {
  return {
    deletes: t("Deletes {0}", objects),
    deletes_branch: t("Deletes branch {0}", objects),
    discards_changes: t("Discards uncommitted changes in {0}", objects),
    rewrites_history: t("Rewrites Git history on {0}", objects),
    publishes: t("Publishes to {0}", objects),
    sends_data: t("Sends data to {0}", objects),
    reaches_machine: t("Connects to {0}", objects),
    runs_remote_script: t("Runs a script from {0}", objects),
    admin_rights: t("Runs with administrator rights"),
    changes_system: t("Changes the system: {0}", objects),
    outside_workspace: t("Changes files outside the workspace: {0}", objects),
    protected_file: t("Changes a protected file: {0}", objects),
    runs_later: t("Changes what other tools run: {0}", objects),
    reads_secret: t("May read secrets: {0}", objects),
  }[kind];
}

function wordKind(kind: DangerKind): string {
  return {
    deletes: t("Deletes files"),
    deletes_branch: t("Deletes a branch"),
    discards_changes: t("Discards uncommitted changes"),
    rewrites_history: t("Rewrites Git history"),
    publishes: t("Publishes commits or packages"),
    sends_data: t("Sends data to another machine"),
    reaches_machine: t("Connects to another machine"),
    runs_remote_script: t("Runs a script from the network"),
    admin_rights: t("Runs with administrator rights"),
    changes_system: t("Changes the system"),
    outside_workspace: t("Changes files outside the workspace"),
    protected_file: t("Changes a protected file"),
    runs_later: t("Changes what other tools run"),
    reads_secret: t("May read secrets"),
  }[kind];
}
