import { errorMessage } from "../../protocol/errors.ts";

const LINE_SEPARATORS = /[\u2028\u2029]/g;

/**
 * One frame as one line, LF included. Escapes U+2028 and U+2029, because some readers split at them. Replaces values
 * that can't be written with a note; never loses a frame and never throws.
 */
export function serializeFrame(frame: object): string {
  try {
    return line(JSON.stringify(frame));
  } catch (error) {
    return serializeWithNotes(frame, error);
  }
}

function serializeWithNotes(frame: object, cause: unknown): string {
  try {
    return line(JSON.stringify(withNotes(frame, new Set())));
  } catch {
    return line(JSON.stringify(lastResort(frame, errorMessage(cause))));
  }
}

function lastResort(frame: object, reason: string): object {
  const text = `could not be serialized: ${reason}`;
  if (!("type" in frame) || frame.type !== "response") {
    return { type: "extension_error", extensionPath: "<runtime>", event: "serialize", error: `Event ${text}` };
  }
  const id = "id" in frame && (typeof frame.id === "string" || typeof frame.id === "number") ? { id: frame.id } : {};
  const command = "command" in frame && typeof frame.command === "string" ? frame.command : "parse";
  return { ...id, type: "response", command, success: false, error: `Response ${text}` };
}

/** A copy in which every value that JSON cannot hold is a note. */
function withNotes(value: unknown, parents: Set<object>): unknown {
  if (typeof value === "bigint") return note("BigInt");
  if (typeof value !== "object" || value === null) return value;
  if (parents.has(value)) return note("circular structure");
  parents.add(value);
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return withNotes(value.toJSON(), parents);
    if (Array.isArray(value)) return value.map((item: unknown) => withNotes(item, parents));
    return Object.fromEntries(Object.keys(value).map((key) => [key, readWithNotes(value, key, parents)]));
  } catch (error) {
    return note(errorMessage(error));
  } finally {
    parents.delete(value);
  }
}

function readWithNotes(owner: object, key: string, parents: Set<object>): unknown {
  try {
    return withNotes(Reflect.get(owner, key), parents);
  } catch (error) {
    return note(errorMessage(error)); // a getter that throws
  }
}

function note(reason: string) {
  return { unserializable: true, reason };
}

function line(json: string): string {
  const isPlain = !json.includes("\u2028") && !json.includes("\u2029");
  return `${isPlain ? json : json.replace(LINE_SEPARATORS, escapeSeparator)}\n`;
}

function escapeSeparator(character: string): string {
  return character === "\u2028" ? "\\u2028" : "\\u2029";
}
