import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { asRecord } from "./spawn-agent.ts";

/** Ways in which the two servers differ from the usual. Tests change them while the servers run. */
interface Behavior {
  /** The answer of the sign-in page in place of a code. */
  refusal?: string;
  /** Where the sign-in page is, in place of its own. */
  authorizationEndpoint?: string;
  /** Where the MCP server sends everybody. */
  redirect?: string;
  /** Where the token endpoint sends everybody. */
  tokenRedirect?: string;
  /** True when refresh tokens are no longer taken. */
  refusesRefresh?: boolean;
  /** True when codes are not taken. */
  refusesCodes?: boolean;
  /** True when the sign-in page takes any resource. */
  ignoresResource?: boolean;
  /** The scope that the server names when a token is missing. */
  namedScope?: string;
  /** The scope that calls of tools need. */
  callScope?: string;
  /** True when no client can register itself. */
  hasFixedClients?: boolean;
  /** True when the service doesn't say that it binds codes to sign-ins. */
  hidesPkce?: boolean;
}

/** An MCP server that asks for a token, and the sign-in service that gives them out. Every secret begins with `planted-`. */
export class OAuthServers {
  readonly behavior: Behavior = {};
  /** The requests to the sign-in service: `register`, `authorize <scope>`, `token <grant>`. */
  readonly asked: string[] = [];
  /** The authorization headers at the MCP server. */
  readonly authorizations: (string | undefined)[] = [];
  readonly #mcp: Server;
  readonly #service: Server;
  /** The scope of each valid token. */
  readonly #tokens = new Map<string, string>();
  readonly #codes = new Map<string, { challenge: string; scope: string; client: string | null }>();
  #count = 0;

  private constructor() {
    this.#mcp = createServer((request, response) => void this.#answerMcp(request, response));
    this.#service = createServer((request, response) => void this.#answerService(request, response));
  }

  static async start(): Promise<OAuthServers> {
    const servers = new OAuthServers();
    for (const server of [servers.#mcp, servers.#service]) await once(server.listen(0, "127.0.0.1"), "listening");
    return servers;
  }

  get url(): string {
    return `${origin(this.#mcp)}/mcp?tenant=a%20b&mode=read`;
  }

  /** Makes all tokens invalid, as if they had expired. */
  expire(): void {
    this.#tokens.clear();
  }

  stop(): void {
    for (const server of [this.#mcp, this.#service]) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      return json(response, 200, { resource: this.url, authorization_servers: [origin(this.#service)] });
    }
    this.authorizations.push(request.headers.authorization);
    const { redirect, callScope } = this.behavior;
    if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end();
    const scope = this.#tokens.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    const { namedScope = "read" } = this.behavior;
    if (scope === undefined) return challenge(response, 401, `Bearer scope="${namedScope}"`);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = asRecord(JSON.parse(body));
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call" && callScope !== undefined && !scope.split(" ").includes(callScope)) {
      return challenge(response, 403, `Bearer error="insufficient_scope", scope="${callScope}"`);
    }
    json(response, 200, { jsonrpc: "2.0", id, result: resultOf(String(method), asRecord(params)) });
  }

  async #answerService(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin(this.#service));
    const body = await text(request);
    const { hasFixedClients, hidesPkce, authorizationEndpoint } = this.behavior;
    const own = origin(this.#service);
    if (pathname === "/.well-known/oauth-authorization-server") {
      return json(response, 200, {
        issuer: own,
        authorization_endpoint: authorizationEndpoint ?? `${own}/authorize`,
        token_endpoint: `${own}/token`,
        ...(hasFixedClients ? {} : { registration_endpoint: `${own}/register` }),
        response_types_supported: ["code"],
        ...(hidesPkce ? {} : { code_challenge_methods_supported: ["S256"] }),
        token_endpoint_auth_methods_supported: ["none"],
      });
    }
    if (pathname === "/register") {
      this.asked.push("register");
      return json(response, 201, { ...asRecord(JSON.parse(body)), client_id: `client-${++this.#count}` });
    }
    if (pathname === "/authorize") return this.#authorize(searchParams, response);
    if (pathname === "/token") return this.#giveToken(new URLSearchParams(body), response);
    response.writeHead(404).end();
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const scope = query.get("scope") ?? "";
    const isOurs = query.get("resource") === this.url || this.behavior.ignoresResource === true;
    if (!isOurs) return void response.writeHead(400).end("invalid_target");
    this.asked.push(`authorize ${scope}`);
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("state", query.get("state") ?? "");
    if (this.behavior.refusal === undefined) {
      const code = `planted-code-${++this.#count}`;
      this.#codes.set(code, {
        challenge: query.get("code_challenge") ?? "",
        scope,
        client: query.get("client_id"),
      });
      back.searchParams.set("code", code);
    } else back.searchParams.set("error", this.behavior.refusal);
    response.writeHead(302, { location: back.href }).end();
  }

  #giveToken(form: URLSearchParams, response: ServerResponse): void {
    const { tokenRedirect, refusesRefresh } = this.behavior;
    if (tokenRedirect !== undefined) return void response.writeHead(307, { location: tokenRedirect }).end();
    this.asked.push(`token ${form.get("grant_type")}`);
    const granted = form.get("grant_type") === "refresh_token" ? this.#refreshed(form) : this.#exchanged(form);
    if (granted !== undefined) this.#give(granted, response);
    // As careless services do, it repeats what it got.
    else
      json(response, 400, {
        error: refusesRefresh ? "invalid_grant" : "invalid_request",
        error_description: `${form}`,
      });
  }

  #refreshed(form: URLSearchParams): string | undefined {
    const isValid = form.get("refresh_token")?.startsWith("planted-") && !this.behavior.refusesRefresh;
    return isValid ? "read" : undefined;
  }

  #exchanged(form: URLSearchParams): string | undefined {
    const code = form.get("code") ?? "";
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isItsOwn = known?.challenge === proof && known.client === form.get("client_id");
    return isItsOwn && !this.behavior.refusesCodes ? known.scope : undefined;
  }

  #give(scope: string, response: ServerResponse): void {
    const token = `planted-access-${++this.#count}`;
    this.#tokens.set(token, scope);
    const refresh_token = `planted-refresh-${this.#count}`;
    json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 3600, refresh_token, scope });
  }
}

function resultOf(method: string, params: Record<string, unknown>): object {
  if (method === "tools/list") return { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
  if (method === "tools/call") return { content: [{ type: "text", text: `echo: ${asRecord(params.arguments).text}` }] };
  const serverInfo = { name: "guarded", version: "1" };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

function origin(server: Server): string {
  const { port } = asAddress(server.address());
  return `http://127.0.0.1:${port}`;
}

function asAddress(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("The server does not listen.");
  return address;
}

function challenge(response: ServerResponse, status: number, header: string): void {
  response.writeHead(status, { "www-authenticate": header }).end();
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
