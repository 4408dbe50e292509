/**
 * Waits for work, but no longer than a limit; what becomes of it then is nobody's concern.
 * @param late makes the error that says so.
 * @throws what the work throws, or what `late` makes when the time is over.
 */
export async function noLaterThan<T>(work: PromiseLike<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
