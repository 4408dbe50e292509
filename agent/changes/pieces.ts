/** Splits items into pieces of a size. Working on a piece at a time wakes fewer threads than item by item, and takes less memory than all at once. */
export function inPieces<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
