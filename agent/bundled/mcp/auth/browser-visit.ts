import type { AuthResult } from "@modelcontextprotocol/sdk/client/auth.js";
import type { ExtensionUi } from "../../../extensions/author.ts";
import type { OpenUrl } from "../mcp-parts.ts";
import { SignInDeclined, SignInFailed } from "../sign-in-needed.ts";
import { assertSafe } from "./auth-fetch.ts";
import { CallbackServer, type SignInAnswer, type WantedPort } from "./callback-server.ts";
import type { BrowserVisit } from "./client-provider.ts";

const OPEN_AGAIN = "Open Again";
const CANCEL = "Cancel";

interface VisitOptions {
  server: { name: string; url: string };
  port: WantedPort;
  /** The time that the user has. */
  limitMs: number;
  /** The service that has to answer, if it names itself in its answers. */
  issuer: string | undefined;
  /** True if the service declares that it names itself in each answer. */
  namesItself: boolean;
  ui: Pick<ExtensionUi, "select">;
  openUrl: OpenUrl;
  signal: AbortSignal;
  /** Begins the visit. @returns what asks the service, first for its page and then, with the code, for the token. */
  begin(visit: BrowserVisit, onPage: (url: URL) => void): (code?: string) => Promise<AuthResult>;
}

/**
 * Sends the user to the sign-in service, waits for the answer, and exchanges it for a token.
 * @throws SignInFailed when the user cancels or takes too long, and whatever the service answers.
 */
export async function visitBrowser(options: VisitOptions): Promise<void> {
  const { server, issuer, namesItself, signal, begin } = options;
  const callback = await CallbackServer.open(options.port);
  try {
    let page: URL | undefined;
    const authorize = begin({ redirectUrl: callback.url, state: callback.state }, (url) => {
      page = url;
    });
    if ((await authorize()) === "AUTHORIZED" || page === undefined) return;
    assertSafe(page, server.url);
    const answer = await answerOf(callback, page.href, options);
    signal.throwIfAborted();
    const isOther = answer.issuer === undefined ? namesItself : issuer !== undefined && answer.issuer !== issuer;
    if (isOther) {
      throw new SignInFailed("another sign-in service has answered. To try again, run /mcp.");
    }
    await authorize(answer.code);
  } finally {
    callback.close();
  }
}

/** Opens the page, and offers to open it again or to cancel until the answer is there. */
async function answerOf(callback: CallbackServer, page: string, options: VisitOptions): Promise<SignInAnswer> {
  const { server, openUrl, signal } = options;
  const over = new AbortController();
  const isOver = AbortSignal.any([over.signal, signal]);
  const open = () => openUrl(page, `To sign in to MCP server "${server.name}", open ${page}`);
  open();
  try {
    return await Promise.race([callback.answer, cancelled(open, isOver, options), tooLate(isOver, options.limitMs)]);
  } finally {
    over.abort();
  }
}

/** Rejects when the user cancels. A host that shows no dialogs can't, and waits for the answer. */
async function cancelled(openAgain: () => void, isOver: AbortSignal, { server, ui }: VisitOptions): Promise<never> {
  const question = `Sign in to MCP server "${server.name}" in your browser.`;
  let answer = await ui.select(question, [OPEN_AGAIN, CANCEL], { signal: isOver });
  while (answer === OPEN_AGAIN) {
    openAgain();
    answer = await ui.select(question, [OPEN_AGAIN, CANCEL], { signal: isOver });
  }
  if (answer === CANCEL) throw new SignInDeclined("you have canceled the sign-in. To sign in, run /mcp.");
  return new Promise<never>(() => undefined);
}

/** Rejects when the time is up, or the work is over. */
function tooLate(isOver: AbortSignal, limitMs: number): Promise<never> {
  return new Promise((_, reject) => {
    const end = (text: string) => reject(new SignInFailed(text));
    const timer = setTimeout(() => end("the sign-in took too long. To try again, run /mcp."), limitMs);
    isOver.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        end("the sign-in has ended.");
      },
      { once: true },
    );
  });
}
