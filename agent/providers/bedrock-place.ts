import type { Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import type { AwsLogin } from "./aws/login.ts";
import { ProviderError } from "./provider.ts";

/** The server that requests go to, and the region that they are signed for. */
export interface BedrockPlace {
  baseUrl: string;
  region: string;
  /** The name of the setting that the region comes from. */
  regionSource: string;
}

/** The address of known models. The configured region replaces the one in it. */
export const BEDROCK_URL = "https://bedrock-runtime.us-east-1.amazonaws.com";

const REGION_OF_HOST = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com|api\.aws)\b/;
const ARN_REGION = /^arn:aws[\w-]*:bedrock:([a-z0-9-]+):/;
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d+$/;

/** The default regions by the area at the start of a model's ID. */
const HOME_REGIONS: Readonly<Record<string, string>> = {
  eu: "eu-central-1",
  apac: "ap-northeast-1",
  jp: "ap-northeast-1",
  au: "ap-southeast-2",
  in: "ap-south-1",
  ca: "ca-central-1",
  "us-gov": "us-gov-west-1",
};

/**
 * Returns the server for a model's requests: its own address if it has one, otherwise that of the region in its ARN, the environment, or the profile.
 * @throws ProviderError when the region's name is invalid.
 */
export async function findPlace({ id, baseUrl }: Model, env: Env, login: AwsLogin): Promise<BedrockPlace> {
  const [region, regionSource] = await findRegion(id, env, login);
  if (baseUrl.replace(/\/+$/, "") !== BEDROCK_URL) {
    const ofHost = REGION_OF_HOST.exec(baseUrl)?.[1];
    if (ofHost !== undefined) return { baseUrl, region: ofHost, regionSource: "the address" };
    return { baseUrl, region: region ?? "us-east-1", regionSource };
  }
  const found = region ?? HOME_REGIONS[id.split(".")[0] ?? ""] ?? "us-east-1";
  if (!REGION.test(found)) {
    throw new ProviderError(
      "invalid_request",
      `"${found}" isn't a region of AWS. Correct ${regionSource}, such as us-east-1, and restart.`,
    );
  }
  const own = env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME?.trim() || env.AWS_ENDPOINT_URL?.trim();
  const domain = found.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return { baseUrl: own || `https://bedrock-runtime.${found}.${domain}`, region: found, regionSource };
}

async function findRegion(id: string, env: Env, login: AwsLogin): Promise<[string | undefined, string]> {
  const ofArn = ARN_REGION.exec(id)?.[1];
  if (ofArn !== undefined) return [ofArn, "the ARN of the model"];
  for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION"]) {
    const region = env[name]?.trim();
    if (region) return [region, name];
  }
  const ofProfile = await login.profileRegion();
  if (ofProfile !== undefined) return [ofProfile, `the region of profile "${login.profileName}"`];
  return [undefined, "AWS_REGION"];
}
