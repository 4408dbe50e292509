import type { Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { addressProblem } from "../util/server-address.ts";
import { ProviderError } from "./provider.ts";

/** The address of known models, as a placeholder for the resource in the environment. */
export const UNNAMED_RESOURCE = "https://resource.openai.azure.com/openai/v1";

const AZURE_HOST = /\.(?:openai\.azure|cognitiveservices\.azure|ai\.azure)\.com$/;
const PLACES_OF_API: ReadonlySet<string> = new Set(["", "/openai", "/openai/v1/responses"]);

/**
 * Returns the address for a model's requests: its own, otherwise that of the environment.
 * @throws ProviderError when the environment has none, or an invalid one.
 */
export function azureAddress({ baseUrl }: Pick<Model, "baseUrl">, env: Env): string {
  if (baseUrl !== UNNAMED_RESOURCE) return completed(baseUrl);
  const { AZURE_OPENAI_BASE_URL: address, AZURE_OPENAI_RESOURCE_NAME: resource } = env;
  if (address?.trim()) return checked(completed(address.trim()), "AZURE_OPENAI_BASE_URL");
  if (resource?.trim()) {
    return checked(`https://${resource.trim()}.openai.azure.com/openai/v1`, "AZURE_OPENAI_RESOURCE_NAME");
  }
  throw new ProviderError(
    "invalid_request",
    "Azure OpenAI has no address. Set AZURE_OPENAI_RESOURCE_NAME to the name of your resource, or AZURE_OPENAI_BASE_URL to its address, and restart.",
  );
}

/** True if a token may be sent to an address: the environment names it, or it is an `https` address of Azure. */
export function mayGetToken({ baseUrl }: Pick<Model, "baseUrl">): boolean {
  if (baseUrl === UNNAMED_RESOURCE) return true;
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" && AZURE_HOST.test(hostname);
}

function checked(address: string, variable: string): string {
  const problem = addressProblem(address);
  if (problem === undefined) return address;
  throw new ProviderError("invalid_request", `${variable} ${problem}. Correct it, and restart.`);
}

/** Adds the path of the API to an Azure address that names only the resource. */
function completed(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!AZURE_HOST.test(url.hostname) || !PLACES_OF_API.has(url.pathname.replace(/\/+$/, ""))) return address;
  return `${url.origin}/openai/v1`;
}

/** Returns the name of a model's deployment: the one that the environment maps it to, otherwise the model's ID. */
export function deploymentOf({ id }: Pick<Model, "id">, { AZURE_OPENAI_DEPLOYMENT_NAME_MAP: map = "" }: Env): string {
  const pairs = map.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  return pairs.find(([model, deployment]) => model === id && deployment)?.[1] ?? id;
}
