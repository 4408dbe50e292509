import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { ExtensionUi } from "../../extensions/author.ts";
import { visibleLine } from "../../util/visible-text.ts";

const MAX_FIELDS = 12;
const MAX_MESSAGE_CHARACTERS = 1000;

const ANSWER = "Answer";
const AGREE = "Yes";
const DECLINE = "No";

const Field = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  oneOf: z.array(z.object({ const: z.string(), title: z.string().optional() })).optional(),
});
type Field = z.infer<typeof Field>;

const Form = z.object({
  message: z.string(),
  requestedSchema: z.object({
    properties: z.record(z.string(), Field),
    required: z.array(z.string()).default([]),
  }),
});

type Dialogs = Pick<ExtensionUi, "select" | "input">;

type Value = string | number | boolean;

/** Asks the user for the values that a server requests, in a dialog for each. Declines forms that dialogs can't show. */
export async function elicit(
  server: string,
  params: ElicitRequest["params"],
  ui: Dialogs,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const form = Form.safeParse(params);
  if (!form.success) return { action: "decline" };
  const fields = Object.entries(form.data.requestedSchema.properties);
  if (fields.length > MAX_FIELDS || fields.some(([, field]) => !isSimple(field))) return { action: "decline" };
  const question = `MCP server "${server}" asks: ${shown(form.data.message)}`;
  const consent = await ui.select(question, [fields.length === 0 ? AGREE : ANSWER, DECLINE], { signal });
  if (consent === undefined) return { action: "cancel" };
  if (consent === DECLINE) return { action: "decline" };
  const content: Record<string, Value> = {};
  for (const [name, field] of fields) {
    const isRequired = form.data.requestedSchema.required.includes(name);
    const answer = await askField(`${server}: ${shown(field.title ?? name)}`, field, ui, signal);
    const isMissing = answer === "" && isRequired && isNumber(field);
    if (answer === undefined || isMissing) return { action: "cancel" };
    if (answer !== "" || isRequired) content[name] = answer;
  }
  return { action: "accept", content };
}

/** Returns one line of visible characters, so that a server's text can't look like a part of the dialog. */
function shown(text: string): string {
  return visibleLine(text).trim().slice(0, MAX_MESSAGE_CHARACTERS);
}

interface Choice {
  value: string;
  label: string;
}

function choicesOf({ enum: values, oneOf }: Field): Choice[] | undefined {
  if (oneOf !== undefined) return oneOf.map(({ const: value, title }) => ({ value, label: shown(title ?? value) }));
  return values?.map((value) => ({ value, label: shown(value) }));
}

function isSimple(field: Field): boolean {
  const { type, enum: values, oneOf } = field;
  const labels = choicesOf(field)?.map(({ label }) => label) ?? [];
  if (new Set(labels).size < labels.length) return false; // the user couldn't tell them apart
  if (type === "string" || type === undefined) return true;
  return (type === "number" || type === "integer" || type === "boolean") && values === undefined && oneOf === undefined;
}

function isNumber({ type }: Field): boolean {
  return type === "number" || type === "integer";
}

/** @returns undefined when the dialog was closed, or the answer is not of the field's type. */
async function askField(title: string, field: Field, ui: Dialogs, signal: AbortSignal): Promise<Value | undefined> {
  const about = field.description === undefined ? title : `${title} (${shown(field.description)})`;
  const question = about.slice(0, MAX_MESSAGE_CHARACTERS);
  if (field.type === "boolean") {
    const answer = await ui.select(question, [AGREE, DECLINE], { signal });
    return answer === undefined ? undefined : answer === AGREE;
  }
  const choices = choicesOf(field);
  if (choices !== undefined) {
    const labels = choices.map(({ label }) => label);
    const answer = await ui.select(question, labels, { signal });
    return choices.find(({ label }) => label === answer)?.value;
  }
  const suggestion = field.default === undefined ? undefined : shown(String(field.default));
  const given = await ui.input(question, suggestion, { signal });
  const answer = given === "" ? (suggestion ?? "") : given;
  if (answer === undefined || !isNumber(field)) return answer;
  if (answer.trim() === "") return "";
  const number = Number(answer);
  return field.type === "integer" ? z.int().safeParse(number).data : z.number().safeParse(number).data;
}
