/** Items in pieces of a size: work on all of one at a time wakes fewer threads than on one item after the other, and holds less than on all. */
export function inPieces<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
