import { exec } from "node:child_process";
import * as z from "zod";
import { jsonIn } from "../parse-event.ts";
import { type AwsIdentity, NoIdentity } from "./identity.ts";

const LIMIT_MS = 60_000;
const MAX_OUTPUT_CHARS = 64 * 1024;
const MAX_SHOWN_CHARS = 300;

/** The output of a credential program. */
const Output = z.object({
  Version: z.literal(1),
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  SessionToken: z.string().nullish(),
  Expiration: z.string().nullish(),
});

/**
 * Runs the program of a profile that prints credentials.
 * @throws NoIdentity when it fails.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
 */
export async function fromProcess(command: string, profile: string, signal: AbortSignal): Promise<AwsIdentity> {
  const output = Output.safeParse(jsonIn(await printedBy(command, profile, signal)));
  if (!output.success) {
    throw new NoIdentity(
      `The credential_process of profile "${profile}" didn't print credentials. Run it in a terminal to see why.`,
    );
  }
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: token,
    Expiration: end,
  } = output.data;
  const expiresAt = end ? Date.parse(end) : Number.NaN;
  return {
    accessKeyId,
    secretAccessKey,
    ...(token ? { sessionToken: token } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

function printedBy(command: string, profile: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_CHARS, signal, windowsHide: true };
    exec(command, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const told = stderr.trim().slice(-MAX_SHOWN_CHARS);
      const reason = told === "" ? "" : `: ${told}`;
      reject(new NoIdentity(`The credential_process of profile "${profile}" failed${reason}`, { cause: error }));
    });
  });
}
