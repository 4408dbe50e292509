import { googleLocation, googleProject } from "../config/google-cloud.ts";
import type { Env } from "../config/paths.ts";
import { withVersion } from "./google-reply.ts";
import { ProviderError } from "./provider.ts";

const HOST = "aiplatform.googleapis.com";
const VERSION = "v1";
const LOCATION = /^[a-z][a-z0-9-]*$/;
const LOCATION_OF_HOST = /^(?:([a-z0-9-]+)-aiplatform|aiplatform\.(us|eu)\.rep)\.googleapis\.com$/;
/** Locations that span several regions. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

/** Returns the address of a publisher's models in a project. @throws ProviderError without a project. */
export function publisherAddress(baseUrl: string, env: Env, publisher: string): string {
  const project = googleProject(env);
  const location = ownLocation(baseUrl) ?? googleLocation(env);
  if (project === undefined) throw settingsFailure("Set GOOGLE_CLOUD_PROJECT to your project in Google Cloud");
  if (!LOCATION.test(location)) {
    throw settingsFailure('GOOGLE_CLOUD_LOCATION must be a location such as "us-central1" or "global". Correct it');
  }
  const server = withVersion(isUnplaced(baseUrl) ? serverOf(location) : baseUrl, VERSION);
  return `${server}/projects/${encodeURIComponent(project)}/locations/${location}/publishers/${publisher}`;
}

/** Returns the address of Google's models for requests with a key, which already belongs to a project. */
export function keyAddress(baseUrl: string): string {
  return `${withVersion(isUnplaced(baseUrl) ? `https://${HOST}` : baseUrl, VERSION)}/publishers/google`;
}

/** True if a server is Google's. Only those receive tokens by default. */
export function isGoogles(baseUrl: string): boolean {
  if (isUnplaced(baseUrl)) return true;
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" && hostname.endsWith(".googleapis.com");
}

/** True if the location determines the server. */
function isUnplaced(baseUrl: string): boolean {
  return (
    baseUrl === "" || baseUrl.includes("{location}") || (URL.canParse(baseUrl) && new URL(baseUrl).hostname === HOST)
  );
}

/** The location in a server's name, which is the only one that it serves. */
function ownLocation(baseUrl: string): string | undefined {
  const host = URL.canParse(baseUrl) ? LOCATION_OF_HOST.exec(new URL(baseUrl).hostname) : null;
  return host?.[1] ?? host?.[2];
}

function serverOf(location: string): string {
  if (location === "global") return `https://${HOST}`;
  return MULTI_REGIONS.has(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-${HOST}`;
}

function settingsFailure(advice: string): ProviderError {
  return new ProviderError("invalid_request", `Couldn't send the request to Vertex AI. ${advice}, and start again.`);
}
