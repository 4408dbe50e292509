import type { Lanes } from "./lanes.ts";

/**
 * Does work in its turn, and hands over what it gives or throws.
 * @throws Error when the agent ends before its turn came.
 */
export async function inLane<Result>(
  lanes: Lanes,
  lane: "lane" | "compact" | "replace",
  work: () => Promise<Result>,
): Promise<Result> {
  let outcome: Promise<Result> | undefined;
  await lanes.run(lane, async () => {
    outcome = work();
    await outcome.catch(() => undefined); // whoever asked is told below
  });
  if (outcome === undefined) throw new Error("The agent has ended.");
  return outcome;
}
