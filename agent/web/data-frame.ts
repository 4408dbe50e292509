import { crypto } from "../util/late-node.ts";

/** The words around web data, which distinguish it from the user's words. */
interface Frame {
  /** The name of the data, such as `Text of https://example.com/`. */
  head: string;
  /** The end of the sentence that describes the data. */
  warning: string;
  /** The word for the data in the closing mark, such as `text`. */
  what: string;
}

/** Puts a frame around web data. It contains an unguessable mark, so that the data can't close its own frame. */
export function framedData(data: string, { head, warning, what }: Frame): string {
  const mark = crypto().randomBytes(4).toString("hex");
  return `[${head}, marked ${mark}. ${warning}]\n\n${data}\n\n[End of the ${what} marked ${mark}]`;
}
