/** There is nothing to be had for a chip; the message says why, for people. */
export class NothingThere extends Error {
  override readonly name = "NothingThere";
}
