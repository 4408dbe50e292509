import type { z } from "zod";

/** Machine-readable reasons that a response may carry beside its text. A closed list; branch on these, never on texts. */
export const ERROR_CODES = [
  "aborted",
  "busy",
  "invalid_request",
  "model_not_found",
  "no_credentials",
  "no_model",
  "not_found",
  "prompt_too_large",
  "session_corrupt",
  "session_locked",
  "start_failed",
  "unknown_command",
  "unknown_since",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A failure that a person can do something about; its message goes over the wire as it is. */
export class AgentError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}

const FIELD_LABELS: Record<string, string> = { level: "thinking level" };

const ARTICLE: Record<string, string> = {
  string: "a string",
  boolean: "a boolean",
  array: "an array",
  number: "a number",
  int: "an integer",
  object: "an object",
  record: "an object",
};

/**
 * Words the first problem of a failed check of a command's fields.
 * @param command the command's type as the host spelled it.
 * @param frame the frame as it came, to quote a wrong value.
 */
export function describeInvalidCommand(command: string, error: z.ZodError, frame: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${command}: invalid request`;
  const [field, index] = issue.path;
  if (field === "images" && typeof index === "number") {
    return `${command}: images[${index}] must be {type:"image", data, mimeType}`;
  }
  const name = issue.path.join(".");
  if (issue.code === "invalid_value") {
    const label = FIELD_LABELS[name] ?? name;
    const value = valueAt(frame, issue.path);
    return `Invalid ${label} "${typeof value === "string" ? value : JSON.stringify(value)}". Valid values: ${issue.values.join(", ")}`;
  }
  if (issue.code === "invalid_type") {
    if (issue.expected === "nonoptional") return `${command}: "${name}" is missing`;
    return `${command}: "${name}" must be ${ARTICLE[issue.expected] ?? issue.expected}`;
  }
  return name === "" ? `${command}: ${issue.message}` : `${command}: "${name}": ${issue.message}`;
}

/** Words all problems of a failed check, one a line, each with the path of its field. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const at = issue.path.length === 0 ? "root" : issue.path.join(".");
    return `  - ${at}: ${issue.message}`;
  });
}

function valueAt(frame: unknown, path: readonly PropertyKey[]): unknown {
  let value = frame;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The text of whatever was thrown. Never throws, though code of others may have thrown something that cannot be made a text. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "Something was thrown that has no text.";
  }
}
