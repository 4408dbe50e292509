/** A task as it can be named. */
interface NamedTask {
  /** As it is listed. */
  readonly shown: string;
  /** Without the folder that it belongs to, and without what brings it too. */
  readonly names: readonly string[];
  /** Whether it belongs to the folder that the session works in. */
  readonly isHere: boolean;
}

/** Finds the task that is meant; of several of one name that of the session's own folder. @returns all that fit, when that does not decide. */
export function findTasks<T extends NamedTask>(tasks: readonly T[], wanted: string): readonly T[] {
  const shown = tasks.find((task) => task.shown === wanted);
  if (shown !== undefined) return [shown];
  const named = tasks.filter(({ names }) => names.includes(wanted));
  const here = named.filter(({ isHere }) => isHere);
  return here.length === 1 ? here : named;
}
