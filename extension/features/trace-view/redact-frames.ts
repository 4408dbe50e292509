import { type FindSecrets, isSecretName, REDACTED, withoutSecrets } from "../../../agent/util/secrets.ts";

/** A frame without secrets: a JSON value, or text when it is not JSON. */
export type RedactedFrame =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string };

/** Removes secrets from one frame. Its structure stays: only strings change, and field names that are secrets themselves. */
export function redactFrame(text: string, find: FindSecrets): RedactedFrame {
  try {
    const frame: unknown = JSON.parse(text);
    return { kind: "json", value: redactValue(frame, find, false) };
  } catch {
    // Not JSON, or nested too deeply to be walked: secrets are removed from its text.
    return { kind: "text", text: withoutSecrets(text, find) };
  }
}

function redactValue(value: unknown, find: FindSecrets, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret && value !== "" ? REDACTED : withoutSecrets(value, find);
  if (Array.isArray(value)) return value.map((part) => redactValue(part, find, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    withoutSecrets(name, find),
    redactValue(field, find, isSecret || isSecretName(name)),
  ]);
  return Object.fromEntries(fields);
}
