import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { elicit } from "./elicitation.ts";
import { ElicitedPages } from "./elicited-pages.ts";
import { Sampling } from "./sampling.ts";
import type { ServerSurroundings } from "./server-surroundings.ts";
import { Turns } from "./turns.ts";

/** The maximum number of open questions of a server to the user. One of them is shown. */
const MAX_WAITING = 5;

/** Answers the requests of one server, with the user's consent. */
export class ServerRequests {
  readonly #server: string;
  readonly #around: ServerSurroundings;
  readonly #sampling: Sampling;
  readonly #dialogs = new Turns(MAX_WAITING);
  /** The web pages that the server wants the user to visit. */
  readonly pages: ElicitedPages;

  constructor(server: string, around: ServerSurroundings) {
    const { ui, openUrl, api, context } = around;
    this.#server = server;
    this.#around = around;
    this.#sampling = new Sampling({ server, api, context });
    this.pages = new ElicitedPages({ server, ui, openUrl });
  }

  /**
   * Asks the user to enter values or to visit a page, one question at a time.
   * @throws McpError for the server when too many wait.
   */
  elicit(params: ElicitRequest["params"], signal: AbortSignal): Promise<ElicitResult> {
    const ask = () =>
      params.mode === "url" ? this.pages.open(params, signal) : elicit(this.#server, params, this.#around.ui(), signal);
    return this.#dialogs.take(ask, signal);
  }

  /** Asks a model. @throws McpError for the server. */
  sample(params: CreateMessageRequest["params"], signal: AbortSignal): Promise<CreateMessageResult> {
    return this.#sampling.answer(params, signal);
  }

  /** Cancels requests to the model and forgets what the user allowed for the session, because another one begins. */
  sessionEnded(): void {
    this.#sampling.sessionEnded();
  }
}
