import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import * as z from "zod";
import { deferred } from "../../../util/deferred.ts";
import { SignInFailed } from "../sign-in-needed.ts";

const HOST = "127.0.0.1";
const PATH = "/callback";
/** The form of error codes that are shown to the user. */
const ERROR_CODE = /^[\w.-]{1,60}$/;

const Address = z.object({ port: z.int() });

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  connection: "close",
};

/** The answer of a sign-in service. */
export interface SignInAnswer {
  code: string;
  /** The service that says to have answered. */
  issuer: string | undefined;
}

/** The port of the callback. A service that knows Tiller knows it with one port. */
export interface WantedPort {
  port: number | undefined;
  isFixed: boolean;
}

/** Waits on the loopback address for the browser to come back from one sign-in. */
export class CallbackServer {
  /** Ties the answer to this sign-in. */
  readonly state = randomBytes(32).toString("base64url");
  readonly url: string;
  readonly #server: Server;
  readonly #answer = deferred<SignInAnswer>();

  private constructor(server: Server) {
    const { port } = Address.parse(server.address());
    this.#server = server;
    this.url = `http://${HOST}:${port}${PATH}`;
    this.#answer.promise.catch(() => undefined); // nobody may be waiting yet
    server.on("request", (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response));
  }

  /** @throws SignInFailed when a fixed port is taken. Another wanted port is replaced then. */
  static async open({ port, isFixed }: WantedPort): Promise<CallbackServer> {
    const server = await listen(port ?? 0).catch(() => {
      if (isFixed) throw new SignInFailed(`port ${port}, its "callbackPort", is in use.`);
      return listen(0);
    });
    return new CallbackServer(server);
  }

  /** The first answer that belongs to this sign-in. Rejects with SignInFailed when the service refuses. */
  get answer(): Promise<SignInAnswer> {
    return this.#answer.promise;
  }

  close(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  #handle({ method, url = "" }: IncomingMessage, response: ServerResponse): void {
    const address = URL.canParse(url, this.url) ? new URL(url, this.url) : undefined;
    const isCallback = method === "GET" && address?.pathname === PATH;
    if (!isCallback) show(response, 404, "There is nothing here.");
    // Without the state, it may come from any page that is open in the browser.
    else if (address.searchParams.get("state") !== this.state) show(response, 400, "This sign-in is unknown or over.");
    else this.#take(address.searchParams, response);
  }

  #take(answer: URLSearchParams, response: ServerResponse): void {
    const code = answer.get("code");
    if (code !== null) {
      show(response, 200, "Tiller has received your sign-in. You can close this page.");
      this.#answer.resolve({ code, issuer: answer.get("iss") ?? undefined });
      return;
    }
    show(response, 200, "You are not signed in. You can close this page.");
    const error = answer.get("error") ?? "";
    const reason = ERROR_CODE.test(error) ? ` (${error})` : "";
    this.#answer.reject(new SignInFailed(`the sign-in was refused${reason}. To try again, run /mcp.`));
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, HOST);
  await once(server, "listening");
  return server;
}

function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, HEADERS).end(`<!doctype html><title>Tiller</title><p>${text}</p>`);
}
