/** Nothing is at a path on this machine. */
export class PathNotFound extends Error {
  /** The path as the model wrote it. */
  readonly shownPath: string;

  constructor(message: string, shownPath: string) {
    super(message);
    this.shownPath = shownPath;
  }
}
