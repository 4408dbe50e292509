import { withTimeLimit } from "../../util/with-time-limit.ts";
import { useProxyFromEnvironment } from "../proxy.ts";
import { connectionFailure, passingFailure } from "../request-errors.ts";

const LIMIT_MS = 20_000;

/** Returns the address of an AWS service in a region, unless the environment sets another one. */
export function serviceAddress(
  env: Readonly<Record<string, string | undefined>>,
  service: string,
  region: string,
): string {
  const { AWS_ENDPOINT_URL: all } = env;
  const own = env[`AWS_ENDPOINT_URL_${service.toUpperCase().replaceAll(/[ .]/g, "_")}`] || all;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return (own || `https://${HOSTS[service] ?? service}.${region}.${domain}`).replace(/\/+$/, "");
}

/** The services whose host names differ from their names. */
const HOSTS: Readonly<Record<string, string>> = { sso: "portal.sso", "sso oidc": "oidc" };

/**
 * Sends a request to an AWS service, without following redirects.
 * @throws ProviderError when it can't be reached, or fails temporarily.
 */
export async function askService(
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<{ ok: boolean; status: number; text: string }> {
  await useProxyFromEnvironment();
  const limit = withTimeLimit(signal, LIMIT_MS);
  let answer: { ok: boolean; status: number; text: string };
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: limit.signal });
    answer = { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    throw signal.aborted ? error : connectionFailure(url, error);
  } finally {
    limit.end();
  }
  const passing = passingFailure(url, answer.status);
  if (passing !== undefined) throw passing;
  return answer;
}
