/** Rejects when `promise` takes longer than `ms`; `what` completes "waited … for". */
export async function withDeadline<T>(promise: Promise<T>, ms: number, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${ms} ms in vain for ${what()}.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const PROBE_INTERVAL_MS = 100;

/** Checks `isTrue` repeatedly, for states that send no event when they change, such as the list of processes. */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  ms: number,
  what: () => string,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Waited ${ms} ms in vain for ${what()}.`);
    await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
  }
}
