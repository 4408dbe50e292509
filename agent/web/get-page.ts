import { lookup } from "node:dns/promises";
import { type IncomingMessage, type RequestOptions, request as requestPlain, STATUS_CODES } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isSystemError } from "../util/paths.ts";
import { withTimeLimit } from "../util/with-time-limit.ts";
import { hostName, mayBePrivate, type PrivateHosts, privateProblem, readPageAddress } from "./page-address.ts";
import { isPublicAddress } from "./public-address.ts";

const TIME_LIMIT_MS = 30_000;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
/** The maximum length of a redirect's address, which is shown to the model. */
const MAX_TYPE_LENGTH = 100;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Failures of a connection after which another address of the same host may answer. */
const TRY_NEXT: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Returns the IP addresses of a host. @throws Error with a code when it has none. */
export type Resolve = (host: string) => Promise<string[]>;

/** The settings of requests for pages. */
export interface PageSource {
  privateHosts: PrivateHosts;
  /** The `User-Agent` header. */
  userAgent: string;
  resolve?: Resolve;
  timeLimitMs?: number;
}

/** A page whose body has not been read yet. */
export interface OpenPage {
  url: URL;
  /** The media type in lowercase, without parameters; empty if the server names none. */
  type: string;
  charset: string | undefined;
  /**
   * Reads the decompressed body.
   * @returns at most `maxBytes` of it, and whether there is more.
   * @throws Error when the connection breaks, the time limit is reached, or the call is aborted.
   */
  read(maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }>;
  close(): void;
}

/** A redirect to another server, which the model may or may not follow. */
export interface Redirect {
  location: URL;
}

/**
 * Requests a page. The host is resolved once, and the connection goes to exactly that address, so that a second lookup can't lead into a private
 * network. Only redirects to the same host are followed.
 * @throws Error that says why there is no page.
 */
export async function getPage(start: URL, source: PageSource, signal: AbortSignal): Promise<OpenPage | Redirect> {
  const { resolve = resolveHost, timeLimitMs = TIME_LIMIT_MS, userAgent } = source;
  const limit = withTimeLimit(signal, timeLimitMs);
  const inWords = (error: unknown) => failure(error, start, signal, limit.signal, timeLimitMs);
  try {
    const addresses = await unlessAborted(addressesOf(start, source.privateHosts, resolve), limit.signal);
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await askEach(url, addresses, { userAgent, signal: limit.signal });
      const location = redirectOf(response, url);
      if (location === undefined) return openPage(url, response, { inWords, end: limit.end });
      response.destroy();
      const { url: next, problem } = readPageAddress(location.href, source.privateHosts);
      if (next === undefined) throw new Error(`${url.host} redirects to another address. ${problem}`);
      if (!isSameHost(url, next)) {
        limit.end();
        return { location: next };
      }
      url = next;
    }
    throw new Error(`${start.host} keeps redirecting to itself.`);
  } catch (error) {
    limit.end();
    throw inWords(error);
  }
}

async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
}

/** @throws Error when one of the addresses is not public, unless the user allows that. */
async function addressesOf(url: URL, privateHosts: PrivateHosts, resolve: Resolve): Promise<string[]> {
  const host = hostName(url);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (!mayBePrivate(url, privateHosts) && !addresses.every(isPublicAddress)) throw new Error(privateProblem(url));
  return addresses;
}

interface AskOptions {
  userAgent: string;
  signal: AbortSignal;
}

async function askEach(url: URL, addresses: readonly string[], asking: AskOptions): Promise<IncomingMessage> {
  const [first = "", ...others] = addresses;
  try {
    return await ask(url, first, asking);
  } catch (error) {
    const mayTry = isSystemError(error) && TRY_NEXT.has(error.code) && others.length > 0;
    if (!mayTry) throw error;
    return askEach(url, others, asking);
  }
}

function ask(url: URL, address: string, { userAgent, signal }: AskOptions): Promise<IncomingMessage> {
  const host = hostName(url);
  const isSecure = url.protocol === "https:";
  const options: RequestOptions & { servername?: string } = {
    host: address,
    port: url.port || (isSecure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      "user-agent": userAgent,
      accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5",
      "accept-encoding": "gzip, deflate, br",
    },
    signal,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? requestSecure : requestPlain)(options, resolve);
    sent.on("error", reject);
    // A switch to another protocol, which wasn't requested, isn't a response.
    sent.on("close", () => reject(new Error(`${url.host} closed the connection without an answer.`)));
    sent.end();
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(statusCode) || location === undefined || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

/**
 * True if a redirect stays on the server. Another port is another server, and a change from https to http would expose the content; a change to https
 * is common.
 */
function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === "";
  return isUpgrade && from.hostname === to.hostname;
}

interface Opening {
  inWords(error: unknown): Error;
  /** Called when the rest of the body isn't needed. */
  end(): void;
}

function openPage(url: URL, response: IncomingMessage, { inWords, end }: Opening): OpenPage {
  const { statusCode = 0, headers } = response;
  if (statusCode < 200 || statusCode > 299) {
    response.destroy();
    throw new Error(`${url.href} answered ${`${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trim()}.`);
  }
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";");
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w.:-]+)"?/i.exec(one)?.[1]).find(Boolean);
  return {
    url,
    type: mediaType(type),
    charset,
    read: (maxBytes) =>
      readUpTo(decoded(response), maxBytes).catch((error: unknown) => {
        throw inWords(error);
      }),
    close() {
      end();
      response.destroy();
    },
  };
}

function mediaType(given: string): string {
  const type = given.trim().toLowerCase();
  return type.length < MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : "";
}

function decoded(response: IncomingMessage): Readable {
  const decoder = DECODERS[(response.headers["content-encoding"] ?? "").trim().toLowerCase()]?.();
  if (decoder === undefined) return response;
  pipeline(response, decoder, () => undefined); // an error shows at the end that is read
  return decoder;
}

/** Leaving the loop closes the connection. */
async function readUpTo(body: Readable, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function failure(error: unknown, { host }: URL, signal: AbortSignal, limit: AbortSignal, timeLimitMs: number): Error {
  if (signal.aborted) return new Error("Operation aborted");
  if (limit.aborted) return new Error(`${host} took longer than ${timeLimitMs / 1000} s.`);
  if (!isSystemError(error)) return error instanceof Error ? error : new Error(String(error));
  if (error.code === "ENOTFOUND") return new Error(`There is no server named ${host}.`);
  if (error.code === "EAI_AGAIN") return new Error(`Couldn't look up ${host}: the network or its DNS doesn't answer.`);
  return new Error(`Couldn't read from ${host} (${error.code}).`, { cause: error });
}
