import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type LocalServer, startServer } from "./local-server.ts";

/** Google's token services: for a sign-in, a service account, and Google's own machines. */
export class GoogleTokens {
  /** The forms that were sent. */
  readonly forms: Record<string, string>[] = [];
  /** The paths that were asked for on the metadata server. */
  readonly asked: string[] = [];
  /** The life of the next tokens, in seconds. */
  lifeS = 3600;
  /** Replaces the next tokens. */
  refusal: { status: number; body: string } | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), "tiller-google-"));
  #server: LocalServer | undefined;
  #given = 0;

  static async start(): Promise<GoogleTokens> {
    const tokens = new GoogleTokens();
    tokens.#server = await startServer((request, response) => void tokens.#serve(request, response));
    return tokens;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  /** The last issued token. */
  get last(): string {
    return `ya29.token-${this.#given}`;
  }

  /** Writes a file with credentials. @returns its path. */
  write(credentials: object | string): string {
    const path = join(this.#folder, "credentials.json");
    writeFileSync(path, typeof credentials === "string" ? credentials : JSON.stringify(credentials));
    return path;
  }

  /** Writes the file of somebody who has signed in. @returns the environment that names it, and a project. */
  signedIn(more: object = {}): { GOOGLE_APPLICATION_CREDENTIALS: string; GOOGLE_CLOUD_PROJECT: string } {
    const path = this.write({
      type: "authorized_user",
      client_id: "client.apps.example",
      client_secret: "the-client-secret",
      refresh_token: "the-refresh-token",
      token_uri: `${this.url}/token`,
      ...more,
    });
    return { GOOGLE_APPLICATION_CREDENTIALS: path, GOOGLE_CLOUD_PROJECT: "my-project" };
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.#folder, { recursive: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "", method, headers } = request;
    const isMetadata = url.startsWith("/computeMetadata/");
    if (isMetadata) this.asked.push(url);
    if (isMetadata && headers["metadata-flavor"] !== "Google") {
      response.writeHead(403).end("Missing Metadata-Flavor:Google header.");
      return;
    }
    if (!isMetadata) this.forms.push(await formOf(request));
    if (this.refusal !== undefined || (!isMetadata && (method !== "POST" || url !== "/token"))) {
      const { status, body } = this.refusal ?? { status: 404, body: "" };
      response.writeHead(status).end(body);
      return;
    }
    this.#given += 1;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ access_token: this.last, expires_in: this.lifeS, token_type: "Bearer" }));
  }
}

async function formOf(request: IncomingMessage): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await text(request)));
}
