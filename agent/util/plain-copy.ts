/** Copies data deeply, without values that cannot be copied, such as functions. */
export function plainCopy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    const copy: T = JSON.parse(JSON.stringify(value)); // only what a file would hold
    return copy;
  }
}
