/** A job for the thread: convert a page to Markdown. */
export interface PageJob {
  html: string;
  /** The address of the page, to resolve its links. */
  address: string;
}

/** A page as Markdown. */
export interface PageText {
  title: string;
  markdown: string;
}
