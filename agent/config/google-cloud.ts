import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Env } from "./paths.ts";

/** The providers of Google Cloud's Vertex AI. Instead of a key, they accept a project with credentials. */
const VERTEX_PROVIDERS: ReadonlySet<string> = new Set(["google-vertex", "anthropic-vertex"]);

/** Advice on signing in to Google Cloud, for the end of a message. */
export const GOOGLE_SIGN_IN =
  'Run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account.';

/** The source of a project's credentials: a file, or the metadata server of Google's own machines. */
export type GoogleSource = { kind: "file"; path: string } | { kind: "metadata"; host: string };

/** The parts of the computer that the search reads. */
interface Machine {
  platform: NodeJS.Platform;
  home: string;
  /** The product name in the machine's firmware. */
  product(): string;
}

const THIS_MACHINE: Machine = { platform: process.platform, home: homedir(), product: readProduct };

/** Returns the project that the environment names. */
export function googleProject(env: Env): string | undefined {
  return nonBlank(env.GOOGLE_CLOUD_PROJECT) ?? nonBlank(env.GCLOUD_PROJECT);
}

/** Returns the location for requests; by default, Google selects one for each request. */
export function googleLocation(env: Env): string {
  return nonBlank(env.GOOGLE_CLOUD_LOCATION) ?? "global";
}

/**
 * Finds the application default credentials without reading them or sending a request.
 * @see https://cloud.google.com/docs/authentication/application-default-credentials
 */
export function findGoogleSource(env: Env, machine = THIS_MACHINE): GoogleSource | undefined {
  const named = nonBlank(env.GOOGLE_APPLICATION_CREDENTIALS);
  if (named !== undefined) return { kind: "file", path: named };
  const path = join(gcloudFolder(env, machine), "application_default_credentials.json");
  if (existsSync(path)) return { kind: "file", path };
  const host = nonBlank(env.GCE_METADATA_HOST);
  if (host !== undefined) return { kind: "metadata", host };
  return isOnGoogleCloud(env, machine) ? { kind: "metadata", host: "metadata.google.internal" } : undefined;
}

/** True if the provider is one of Vertex AI, and there are a project and credentials for it. */
export function hasGoogleProject(provider: string, env: Env): boolean {
  return VERTEX_PROVIDERS.has(provider) && isGoogleProject(env);
}

/** True if there are a project and credentials for Vertex AI. Without a project, it looks for no files. */
export function isGoogleProject(env: Env): boolean {
  if (googleProject(env) === undefined) return false;
  const source = findGoogleSource(env);
  return source !== undefined && (source.kind === "metadata" || existsSync(source.path));
}

/** Returns advice about missing credentials of a provider of Vertex AI; undefined for other providers. */
export function googleAdvice(provider: string): string | undefined {
  if (!VERTEX_PROVIDERS.has(provider)) return undefined;
  const orKey = provider === "google-vertex" ? " Or set GOOGLE_CLOUD_API_KEY." : "";
  return `Set GOOGLE_CLOUD_PROJECT and start again. ${GOOGLE_SIGN_IN}${orKey}`;
}

function gcloudFolder(env: Env, { platform, home }: Machine): string {
  const named = nonBlank(env.CLOUDSDK_CONFIG);
  if (named !== undefined) return named;
  return platform === "win32" ? join(env.APPDATA ?? home, "gcloud") : join(home, ".config", "gcloud");
}

/** True on Google Cloud: Cloud Run and Functions set these variables, and virtual machines have it in their firmware. */
function isOnGoogleCloud(env: Env, { platform, product }: Machine): boolean {
  if (env.K_SERVICE || env.CLOUD_RUN_JOB || env.FUNCTION_NAME) return true;
  return platform === "linux" && product().startsWith("Google");
}

function readProduct(): string {
  try {
    return readFileSync("/sys/class/dmi/id/product_name", "utf8");
  } catch {
    return "";
  }
}

function nonBlank(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
