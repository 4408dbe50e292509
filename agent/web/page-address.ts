import { isIP } from "node:net";
import { hasInvisible } from "../util/visible-text.ts";
import { isPublicAddress } from "./public-address.ts";

/** The maximum length of an address. A longer one carries data rather than naming a page, and the user can't check it. */
const MAX_LENGTH = 2000;

/** Says which hosts may have a private address. */
export type PrivateHosts = readonly string[];

/** The address of a page that may be requested, or a sentence that says why it may not. */
export type PageAddress = { url: URL; problem?: undefined } | { url?: undefined; problem: string };

/** Parses the address of a page. Names are resolved only later, and may then lead to an address that is refused. */
export function readPageAddress(text: string, privateHosts: PrivateHosts): PageAddress {
  const given = text.trim();
  if (given.length > MAX_LENGTH) return { problem: `The address is longer than ${MAX_LENGTH} characters.` };
  if (hasInvisible(given)) return { problem: "The address has invisible characters." };
  if (!/^https?:\/\//i.test(given)) return { problem: "The address must begin with https:// or http://." };
  if (!URL.canParse(given)) return { problem: `${given} is not an address.` };
  const url = new URL(given);
  if (url.username !== "" || url.password !== "") {
    return { problem: "The address must not contain a user name or a password." };
  }
  url.hash = "";
  const host = hostName(url);
  if (!mayBePrivate(url, privateHosts) && (isLocalName(host) || (isIP(host) !== 0 && !isPublicAddress(host)))) {
    return { problem: privateProblem(url) };
  }
  return { url };
}

/** Returns the name or IP address of the host, without the brackets of IPv6. */
export function hostName({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** True if the user allows a host to have a private address: by name, with or without the port. */
export function mayBePrivate(url: URL, privateHosts: PrivateHosts): boolean {
  const allowed = privateHosts.map((host) => host.toLowerCase());
  const withPort = `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
  return [withPort, url.hostname, hostName(url)].some((name) => allowed.includes(name));
}

/** Returns a sentence for the model that says that a host isn't public. */
export function privateProblem({ host }: URL): string {
  return `${host} is this machine or in a private network, which web_fetch doesn't read from. The user can allow the host in the setting web.privateHosts.`;
}

function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}
