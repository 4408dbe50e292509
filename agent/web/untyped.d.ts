// The part that we use of a package without types.

declare module "turndown/lib/turndown.browser.cjs.js" {
  import type { PageNode } from "./page-document.ts";

  interface Rule {
    filter: string | readonly string[] | ((node: PageNode) => boolean);
    replacement(content: string, node: PageNode): string;
  }

  class TurndownService {
    constructor(options: Readonly<Record<string, unknown>>);
    addRule(name: string, rule: Rule): this;
    turndown(node: PageNode): string;
    escape(text: string): string;
  }
  export = TurndownService;
}
