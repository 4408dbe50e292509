import { type FindSecrets, isSecretName, REDACTED, withoutSecrets } from "../../../agent/util/secrets.ts";

/** A frame without secrets: as a JSON value, or as text when it is no JSON. */
export type RedactedFrame =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string };

/** Takes secrets out of one frame. Its shape stays: only strings change, and names of fields that are secrets themselves. */
export function redactFrame(text: string, find: FindSecrets): RedactedFrame {
  try {
    const frame: unknown = JSON.parse(text);
    return { kind: "json", value: redactValue(frame, find, false) };
  } catch {
    // No JSON, or nested deeper than can be walked: what can be found in it as text is taken out.
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
