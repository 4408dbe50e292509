import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Keys that a scripted service of AWS knows. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** A received request. */
interface SignedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/**
 * Returns the service's message about a wrong signature; undefined if the signature is valid.
 * @param wanted the service and region that it must be made for.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function whatIsUnsigned(
  request: SignedRequest,
  keys: readonly AwsKeys[],
  wanted: { service: string; region: string },
): string | undefined {
  const { headers } = request;
  const parts = AUTHORIZATION.exec(headers.authorization ?? "");
  if (parts === null) return "Missing Authentication Token";
  const [, id = "", day = "", region = "", service = "", names = "", signature = ""] = parts;
  if (region !== wanted.region || service !== wanted.service) {
    return `Credential should be scoped to a valid region and service, not '${region}/${service}'.`;
  }
  const known = keys.find(({ accessKeyId }) => accessKeyId === id);
  if (known === undefined || known.sessionToken !== headers["x-amz-security-token"]) {
    return "The security token included in the request is invalid.";
  }
  const signed = names.split(";");
  if (!signed.includes("host") || !signed.includes("x-amz-date")) return "'Host' and 'X-Amz-Date' must be signed.";
  const unsigned = Object.keys(headers).find((name) => name.startsWith("x-amz-") && !signed.includes(name));
  if (unsigned !== undefined) return `There were headers present in the request which were not signed: ${unsigned}`;
  const date = String(headers["x-amz-date"]);
  if (!date.startsWith(day) || isOff(date)) return "Signature expired.";
  const expected = signatureOf(request, { known, signed, date, scope: [day, region, service, "aws4_request"] });
  return expected === signature
    ? undefined
    : "The request signature we calculated does not match the signature you provided.";
}

function isOff(date: string): boolean {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  return !(Math.abs(Date.parse(iso) - Date.now()) < MAX_CLOCK_SKEW_MS);
}

interface Signing {
  known: AwsKeys;
  signed: readonly string[];
  date: string;
  scope: readonly string[];
}

function signatureOf({ method, url, headers, body }: SignedRequest, { known, signed, date, scope }: Signing): string {
  const [path = "", query = ""] = url.split("?");
  const canonical = [
    method,
    // Every part is encoded once more than it is on the wire.
    path.split("/").map(encodeStrictly).join("/"),
    query.split("&").sort().join("&"),
    ...signed.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replaceAll(/ +/g, " ")}`,
    ),
    "",
    signed.join(";"),
    sha256(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${known.secretAccessKey}`);
  return hmac(key, toSign).toString("hex");
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
