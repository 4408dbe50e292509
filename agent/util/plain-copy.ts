/** Copies data in depth. What cannot be copied, such as a function that an extension left in it, is not in the copy. */
export function plainCopy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    const copy: T = JSON.parse(JSON.stringify(value)); // only what a file would hold
    return copy;
  }
}
