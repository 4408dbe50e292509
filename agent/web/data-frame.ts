import { crypto } from "../util/late-node.ts";

/** Words around data of the web, which tell it from words of the user. */
interface Frame {
  /** What it is, such as `Text of https://example.com/`. */
  head: string;
  /** The end of the sentence that tells what it is. */
  warning: string;
  /** What ends, such as `text`. */
  what: string;
}

/** Puts words around data of the web. A mark that nobody can guess is in them, so that the data can't end its own frame. */
export function framedData(data: string, { head, warning, what }: Frame): string {
  const mark = crypto().randomBytes(4).toString("hex");
  return `[${head}, marked ${mark}. ${warning}]\n\n${data}\n\n[End of the ${what} marked ${mark}]`;
}
