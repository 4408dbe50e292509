import { readFileSync } from "node:fs";
import * as z from "zod";
import { UsageError } from "../../config/args.ts";
import { describeIssues, errorMessage } from "../../protocol/errors.ts";

const FENCED = /```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/gi;

/** An answer checked against a schema: JSON that fits, on one line, or a list of problems. */
export type CheckedAnswer = { json: string } | { problems: string[] };

/** A JSON Schema that the last answer has to fit. */
export interface OutputSchema {
  /** Tells the model about the schema. */
  instructions: string;
  check(answer: string): CheckedAnswer;
}

const Schema = z.record(z.string(), z.unknown());

/**
 * Reads a file with a JSON Schema.
 * @throws UsageError if it cannot be read or is not a schema.
 */
export function readOutputSchema(path: string): OutputSchema {
  let text: string;
  let schema: z.ZodType;
  try {
    text = readFileSync(path, "utf8");
    schema = z.fromJSONSchema(Schema.parse(JSON.parse(text)));
  } catch (error) {
    const reason = error instanceof z.ZodError ? "it is not a JSON object" : errorMessage(error);
    throw new UsageError(`Error: Couldn't read the schema from ${path}: ${reason}`, { cause: error });
  }
  return {
    instructions: `Your final answer is read by a program. It has to be one JSON value that fits this JSON Schema, without any text around it:\n\n${text.trim()}`,
    check: (answer) => checkAnswer(schema, answer),
  };
}

/** Returns the message that asks for another answer. */
export function askAgain(problems: readonly string[]): string {
  return [
    "Your answer does not fit the JSON Schema:",
    ...problems,
    "Answer again with only the JSON value, without any text around it.",
  ].join("\n");
}

function checkAnswer(schema: z.ZodType, answer: string): CheckedAnswer {
  let value: unknown;
  try {
    value = jsonIn(answer);
  } catch (error) {
    return { problems: [`  - it is not JSON: ${errorMessage(error)}`] };
  }
  const read = schema.safeParse(value);
  return read.success ? { json: JSON.stringify(value) } : { problems: describeIssues(read.error) };
}

/** Returns the value of an answer: of all of it, or of its last block of code. @throws SyntaxError if neither is JSON. */
function jsonIn(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (error) {
    const block = [...answer.matchAll(FENCED)].at(-1)?.[1];
    if (block === undefined) throw error;
    return JSON.parse(block);
  }
}
