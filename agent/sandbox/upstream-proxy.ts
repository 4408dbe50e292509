import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Duplex } from "node:stream";

const CONNECT_TIMEOUT_MS = 30_000;

/** A server that is connected to. */
interface Target {
  host: string;
  port: number;
}

/** A proxy between this machine and the internet, which the user's environment names. */
export interface UpstreamProxy extends Target {
  /** True if the proxy itself is reached through TLS. */
  isSecure: boolean;
  /** The headers of every request to the proxy, such as credentials. */
  headers: Record<string, string>;
}

/**
 * Returns the proxy for a server; undefined if it is reached without one.
 * @param scheme of the addresses that are loaded from the server.
 * @throws Error when the variable names no HTTP proxy.
 */
export function upstreamFor(
  target: Target,
  scheme: "http" | "https",
  env: NodeJS.ProcessEnv,
): UpstreamProxy | undefined {
  const name = `${scheme}_proxy`;
  const address = env[name] ?? env[name.toUpperCase()] ?? "";
  if (address === "" || isLeftOut(target, env.no_proxy ?? env.NO_PROXY ?? "")) return undefined;
  const full = address.includes("://") ? address : `http://${address}`;
  const { protocol, hostname, port, username, password } = URL.canParse(full) ? new URL(full) : NO_ADDRESS;
  if ((protocol !== "http:" && protocol !== "https:") || hostname === "") {
    throw new Error(`${name.toUpperCase()} isn't the address of an HTTP proxy, such as http://proxy.example:3128.`);
  }
  const isSecure = protocol === "https:";
  const usual = isSecure ? 443 : 80;
  const credentials = `${decode(username)}:${decode(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? usual : Number(port),
    isSecure,
    headers:
      credentials === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` },
  };
}

const NO_ADDRESS = { protocol: "", hostname: "", port: "", username: "", password: "" };

/** Opens a connection to a server through a proxy. @throws Error when the proxy refuses it. */
export function connectThrough(proxy: UpstreamProxy, target: Target): Promise<Duplex> {
  const { host, port, headers } = proxy;
  const name = target.host.includes(":") ? `[${target.host}]` : target.host;
  const path = `${name}:${target.port}`;
  const ask = proxy.isSecure ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const asked = ask({
      ...{ method: "CONNECT", host, port, path, headers: { ...headers, host: path } },
      ...{ agent: false, timeout: CONNECT_TIMEOUT_MS },
    });
    asked.once("connect", (answer, socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`Your proxy answered ${answer.statusCode} for ${path}.`));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.once("response", (answer) => {
      answer.destroy();
      reject(new Error(`Your proxy answered ${answer.statusCode} for ${path}.`));
    });
    asked.once("timeout", () => asked.destroy(new Error("Your proxy doesn't answer.")));
    asked.once("error", reject);
    asked.end();
  });
}

/** True for a server that a list such as `localhost,.example.com,10.0.0.1:8080` names. */
function isLeftOut({ host, port }: Target, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, "")) ?? [];
      const isNamed = host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`);
      return isNamed && (only === undefined || Number(only) === port);
    });
}

/** Credentials in an address may be percent-encoded, and needn't be. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
