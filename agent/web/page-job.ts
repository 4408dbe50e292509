/** The work of making Markdown of a page. */
export interface PageJob {
  html: string;
  /** The address of the page, for its links. */
  address: string;
}

/** A page as Markdown. */
export interface PageText {
  title: string;
  markdown: string;
}
