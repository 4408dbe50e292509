import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Env } from "./paths.ts";

/** Groups of variables that select credentials other than a key. All variables of a group must be set. */
const SIGN_INS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "amazon-bedrock": [
    ["AWS_PROFILE"],
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
    ["AWS_CONTAINER_CREDENTIALS_FULL_URI"],
    ["AWS_WEB_IDENTITY_TOKEN_FILE"],
  ],
  azure: [["AZURE_OPENAI_BASE_URL"], ["AZURE_OPENAI_RESOURCE_NAME"]],
};

/** True if the environment selects credentials for a provider. The first request looks for them. */
export function hasSignIn(provider: string, env: Env): boolean {
  const groups = (Object.hasOwn(SIGN_INS, provider) ? SIGN_INS[provider] : undefined) ?? [];
  return groups.some((names) => names.every((name) => env[name]?.trim()));
}

const SERVES_OTHERS: ReadonlySet<string> = new Set(["amazon-bedrock", "google-vertex", "anthropic-vertex"]);

/** True if the provider's sign-in also serves many other services. */
export function servesOthers(provider: string): boolean {
  return SERVES_OTHERS.has(provider);
}

/** Variables with secrets of sign-ins. Unlike keys, they stay in the environment of commands, which need them for other purposes. */
const SECRET_VARIABLES = [
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AZURE_CLIENT_SECRET",
  "IDENTITY_HEADER",
];

/** Returns the secrets of sign-ins in the environment, which must never be stored or shown. */
export function signInSecrets(env: Env): string[] {
  return SECRET_VARIABLES.flatMap((name) => env[name]?.trim() || []);
}

/**
 * True if there are files with credentials that a provider could use. Most people have them for other purposes, so they don't make a model the
 * default.
 */
export function hasSignInFiles(provider: string, env: Env): boolean {
  return provider === "amazon-bedrock" && Object.values(awsFiles(env)).some(existsSync);
}

/** Returns the home folder that contains AWS's files. */
export function awsHome(env: Env): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** Returns the paths of AWS's files: settings, and keys. */
export function awsFiles(env: Env): { config: string; credentials: string } {
  const folder = join(awsHome(env), ".aws");
  return {
    config: env.AWS_CONFIG_FILE || join(folder, "config"),
    credentials: env.AWS_SHARED_CREDENTIALS_FILE || join(folder, "credentials"),
  };
}

/** Returns advice on a provider's credentials other than a key, to follow "Set …, or"; undefined if it accepts only keys. */
export function signInAdvice(provider: string): string | undefined {
  return Object.hasOwn(SIGN_IN_ADVICE, provider) ? SIGN_IN_ADVICE[provider] : undefined;
}

const SIGN_IN_ADVICE: Readonly<Record<string, string>> = {
  "amazon-bedrock": "AWS_PROFILE to a profile of `aws configure sso`",
  azure: "AZURE_OPENAI_RESOURCE_NAME and sign in with `az login`",
};
