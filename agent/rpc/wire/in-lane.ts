import type { Lanes } from "./lanes.ts";

/**
 * Does work in its turn, and hands over what it gives or throws.
 * @throws Error when the agent ends before its turn came.
 */
export function inLane<Result>(
  lanes: Lanes,
  lane: "lane" | "compact" | "replace",
  work: () => Promise<Result>,
): Promise<Result> {
  return outcomeOf((task) => lanes.run(lane, task), work);
}

/** As `inLane`; work that is asked for by what has the lane does not wait for it. */
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
