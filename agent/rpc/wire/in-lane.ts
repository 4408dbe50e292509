import type { Lanes } from "./lanes.ts";

/**
 * Runs work in its turn, and returns its result or throws its error.
 * @throws Error when the agent ends before its turn came.
 */
export function inLane<Result>(
  lanes: Lanes,
  lane: "lane" | "compact" | "replace",
  work: () => Promise<Result>,
): Promise<Result> {
  return outcomeOf((task) => lanes.run(lane, task), work);
}

/** Like `inLane`, but work that the owner of the lane requests doesn't wait for the lane. */
export function nestedInLane<Result>(
  lanes: Lanes,
  lane: "compact" | "replace",
  work: () => Promise<Result>,
): Promise<Result> {
  return outcomeOf((task) => lanes.runNested(lane, task), work);
}

async function outcomeOf<Result>(
  run: (task: () => Promise<void>) => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  let outcome: Promise<Result> | undefined;
  await run(async () => {
    outcome = work();
    await outcome.catch(() => undefined); // the caller gets the error below
  });
  if (outcome === undefined) throw new Error("The agent has ended.");
  return outcome;
}
