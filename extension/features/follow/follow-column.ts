/** What has to be known of a group of editors. */
export interface EditorGroup {
  /** Its number, from 1. */
  readonly column: number;
  readonly isActive: boolean;
  /** What is in front of it. */
  readonly front: "nothing" | "text" | "other";
  /** Whether it holds the tab in which the agent was shown last. */
  readonly hasFollowTab: boolean;
}

/**
 * Where the agent is shown. The active group is the user's, unless the agent is shown there or it is empty; beside it no other group is made
 * where one can be used.
 */
export function followColumn(groups: readonly EditorGroup[]): number | "beside" {
  const own = groups.find(({ hasFollowTab }) => hasFollowTab);
  const empty = groups.find(({ isActive, front }) => isActive && front === "nothing");
  const free = groups.findLast(({ isActive, front }) => !isActive && front !== "other");
  return (own ?? empty ?? free)?.column ?? "beside";
}
