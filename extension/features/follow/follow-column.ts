/** The state of an editor group. */
export interface EditorGroup {
  /** Its number, 1-based. */
  readonly column: number;
  readonly isActive: boolean;
  /** The kind of its active tab. */
  readonly front: "nothing" | "text" | "other";
  /** True when it has the tab in which the agent was shown last. */
  readonly hasFollowTab: boolean;
}

/**
 * Returns the column in which to show the agent. The active group is the user's, unless the agent is shown there or it is empty; a new group is
 * created only when no other one can be used.
 */
export function followColumn(groups: readonly EditorGroup[]): number | "beside" {
  const own = groups.find(({ hasFollowTab }) => hasFollowTab);
  const empty = groups.find(({ isActive, front }) => isActive && front === "nothing");
  const free = groups.findLast(({ isActive, front }) => !isActive && front !== "other");
  return (own ?? empty ?? free)?.column ?? "beside";
}
