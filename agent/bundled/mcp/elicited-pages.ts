import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { ExtensionUi } from "../../extensions/author.ts";
import { deferred } from "../../util/deferred.ts";
import { unlessAborted } from "../../util/unless-aborted.ts";
import { visibleLine } from "../../util/visible-text.ts";
import type { OpenUrl } from "./mcp-parts.ts";

const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_URL_CHARACTERS = 4000;
const MAX_PAGES = 5;
/** The number of times that a tool may ask for pages before it fails. */
const MAX_ROUNDS = 3;
const MAX_KNOWN = 100;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const OPEN = "Open Page";
const DECLINE = "No";
const CONTINUE = "Continue";
const OPEN_AGAIN = "Open Again";
const CANCEL = "Cancel";

const Page = z.object({
  mode: z.literal("url"),
  message: z.string(),
  elicitationId: z.string().min(1),
  url: z.string().max(MAX_URL_CHARACTERS),
});
type Page = z.infer<typeof Page>;

const Needed = z.object({ elicitations: z.array(Page).min(1).max(MAX_PAGES) });

interface PageParts {
  /** The name of the server. */
  server: string;
  ui(): Pick<ExtensionUi, "select">;
  openUrl: OpenUrl;
}

/** Web pages that a server asks the user to visit. The agent doesn't see what the user does there. */
export class ElicitedPages {
  readonly #parts: PageParts;
  /** The latest pages that the server has reported as done. */
  readonly #done = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  /** The visits that calls wait for, by page. All calls that need the same page share one. */
  readonly #visits = new Map<string, Visit>();

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  /** Opens a page if the user agrees. "accept" means that the user agreed, not that they are done. */
  async open(params: unknown, signal: AbortSignal): Promise<ElicitResult> {
    const page = readPage(params);
    return { action: page === undefined ? "decline" : await this.#ask(page, signal) };
  }

  /** The server says that the user is done with a page. */
  completed(elicitationId: string): void {
    this.#done.add(elicitationId);
    for (const oldest of [...this.#done].slice(0, -MAX_KNOWN)) this.#done.delete(oldest);
    this.#waiting.get(elicitationId)?.();
  }

  /**
   * Does work that the server may refuse until the user has visited pages, and then repeats it.
   * @throws Error when the user doesn't visit them, and any error of the work itself.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let round = 0; ; round++) {
      try {
        return await work();
      } catch (error) {
        const pages = neededPages(error);
        if (pages === undefined || round === MAX_ROUNDS) throw error;
        for (const page of pages) await this.#visit(page, signal);
      }
    }
  }

  async #visit(page: Page, signal: AbortSignal): Promise<void> {
    const visit = this.#visits.get(page.elicitationId) ?? this.#begin(page);
    visit.callers += 1;
    let isVisited: boolean | undefined;
    try {
      isVisited = await unlessAborted(visit.done, signal, 0);
    } finally {
      visit.callers -= 1;
      if (visit.callers === 0) {
        visit.end.abort();
        if (this.#visits.get(page.elicitationId) === visit) this.#visits.delete(page.elicitationId);
      }
    }
    signal.throwIfAborted();
    if (isVisited !== true) throw new Error("it needs the user to visit a web page first, and the user has declined.");
  }

  #begin(page: Page): Visit {
    const end = new AbortController();
    const visit = { done: this.#isVisited(page, end.signal), callers: 0, end };
    this.#visits.set(page.elicitationId, visit);
    return visit;
  }

  async #isVisited(page: Page, signal: AbortSignal): Promise<boolean> {
    const read = readPage(page);
    if (read === undefined || (await this.#ask(read, signal)) !== "accept") return false;
    return this.#isFinished(read, signal);
  }

  async #ask(page: ReadPage, signal: AbortSignal): Promise<"accept" | "decline" | "cancel"> {
    const { server, ui } = this.#parts;
    const { host, href, message } = page;
    const question = `MCP server "${server}" asks you to open a page at ${host}: ${message}\n${href}`;
    const answer = await ui().select(question, [OPEN, DECLINE], { signal });
    if (answer === undefined) return "cancel";
    if (answer !== OPEN) return "decline";
    this.#openPage(page);
    return "accept";
  }

  /** Waits until the server or the user reports that the page is done. @returns false when the user cancels. */
  async #isFinished(page: ReadPage, signal: AbortSignal): Promise<boolean> {
    const { server, ui } = this.#parts;
    const over = new AbortController();
    const done = deferred<boolean>();
    this.#waiting.set(page.id, () => done.resolve(true));
    if (this.#done.has(page.id)) done.resolve(true);
    const ask = async (): Promise<boolean> => {
      const isOver = AbortSignal.any([over.signal, signal]);
      const question = `MCP server "${server}" waits for the page at ${page.host}. Continue when you are done there.`;
      let answer = await ui().select(question, [CONTINUE, OPEN_AGAIN, CANCEL], { signal: isOver });
      while (answer === OPEN_AGAIN) {
        this.#openPage(page);
        answer = await ui().select(question, [CONTINUE, OPEN_AGAIN, CANCEL], { signal: isOver });
      }
      return answer === CONTINUE;
    };
    try {
      return await Promise.race([done.promise, ask()]);
    } finally {
      over.abort();
      this.#waiting.delete(page.id);
      this.#done.delete(page.id); // the server may need the page again
    }
  }

  #openPage({ href }: ReadPage): void {
    this.#parts.openUrl(href, `MCP server "${this.#parts.server}" asks you to open ${href}`);
  }
}

interface Visit {
  /** True when the user is done with the page. */
  done: Promise<boolean>;
  /** The number of calls that wait for the visit. */
  callers: number;
  /** Aborted when no call waits anymore. */
  end: AbortController;
}

interface ReadPage {
  id: string;
  host: string;
  href: string;
  /** Returns the text on one line. */
  message: string;
}

/** @returns undefined for an address that must not be opened: one without encryption, or with a user name in it. */
function readPage(params: unknown): ReadPage | undefined {
  const { data } = Page.safeParse(params);
  if (data === undefined || !URL.canParse(data.url)) return undefined;
  const { protocol, hostname, host, href, username, password } = new URL(data.url);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname));
  if (!isSafe || username !== "" || password !== "") return undefined;
  const message = visibleLine(data.message).slice(0, MAX_MESSAGE_CHARACTERS);
  return { id: data.elicitationId, host, href, message };
}

function neededPages(error: unknown): readonly Page[] | undefined {
  if (!(error instanceof McpError) || error.code !== ErrorCode.UrlElicitationRequired) return undefined;
  return Needed.safeParse(error.data).data?.elicitations;
}
