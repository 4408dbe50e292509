import * as z from "zod";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import type { ParsedInput } from "./read-arguments.ts";

const Arguments = z.record(z.string(), z.unknown());

/** Checks the arguments of a tool whose parameters came as a JSON Schema. */
export type ArgumentCheck = (args: unknown) => ParsedInput<Record<string, unknown>>;

/**
 * Makes a check from a JSON Schema. With a schema that we cannot read, the tool checks alone.
 * @param owner how the warning about such a schema names the tool.
 */
export function argumentCheck(
  parameters: Record<string, unknown>,
  owner: string,
  warn: (message: string) => void,
): ArgumentCheck {
  let schema: z.ZodType | undefined;
  return (args) => {
    schema ??= schemaOf(parameters, owner, warn);
    const parsed = schema.safeParse(args);
    if (!parsed.success) return { ok: false, problems: describeIssues(parsed.error) };
    const record = Arguments.safeParse(args);
    return record.success ? { ok: true, input: record.data } : { ok: false, problems: describeIssues(record.error) };
  };
}

function schemaOf(parameters: Record<string, unknown>, owner: string, warn: (message: string) => void): z.ZodType {
  try {
    return z.fromJSONSchema(parameters);
  } catch (error) {
    warn(`Arguments of ${owner} are not checked, its schema can't be read: ${errorMessage(error)}`);
    return z.unknown();
  }
}
