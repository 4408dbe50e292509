/** Thrown when the content of a chip is unavailable; the message says why, for people. */
export class NothingThere extends Error {
  override readonly name = "NothingThere";
}
