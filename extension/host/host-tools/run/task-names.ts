/** A task and its names. */
interface NamedTask {
  /** The name in the list of tasks. */
  readonly shown: string;
  /** Its names without the folder, and without its source. */
  readonly names: readonly string[];
  /** True when it belongs to the session's folder. */
  readonly isHere: boolean;
}

/** Finds a task by name, preferring the session's own folder. @returns all matches when several remain. */
export function findTasks<T extends NamedTask>(tasks: readonly T[], wanted: string): readonly T[] {
  const shown = tasks.find((task) => task.shown === wanted);
  if (shown !== undefined) return [shown];
  const named = tasks.filter(({ names }) => names.includes(wanted));
  const here = named.filter(({ isHere }) => isHere);
  return here.length === 1 ? here : named;
}
