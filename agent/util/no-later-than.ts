/**
 * Waits for work, but no longer than a limit; what becomes of it then is nobody's concern.
 * @throws what the work throws, or an Error with `message` when the time is over.
 */
export async function noLaterThan<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
