import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { ExtensionUi } from "../../extensions/author.ts";

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

type Value = string | number | boolean;

/** Asks the user for the values that a server requests, in a dialog for each. Declines forms that dialogs can't show. */
export async function elicit(
  server: string,
  params: ElicitRequest["params"],
  ui: ExtensionUi,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const form = Form.safeParse(params);
  if (!form.success) return { action: "decline" };
  const fields = Object.entries(form.data.requestedSchema.properties);
  if (fields.length > MAX_FIELDS || fields.some(([, field]) => !isSimple(field))) return { action: "decline" };
  const question = `MCP server "${server}" asks: ${form.data.message.slice(0, MAX_MESSAGE_CHARACTERS)}`;
  const consent = await ui.select(question, [fields.length === 0 ? AGREE : ANSWER, DECLINE], { signal });
  if (consent === undefined) return { action: "cancel" };
  if (consent === DECLINE) return { action: "decline" };
  const content: Record<string, Value> = {};
  for (const [name, field] of fields) {
    const isRequired = form.data.requestedSchema.required.includes(name);
    const answer = await askField(`${server}: ${field.title ?? name}`, field, ui, signal);
    const isMissing = answer === "" && isRequired && isNumber(field);
    if (answer === undefined || isMissing) return { action: "cancel" };
    if (answer !== "" || isRequired) content[name] = answer;
  }
  return { action: "accept", content };
}

function isSimple({ type, enum: values, oneOf }: Field): boolean {
  if (type === "string" || type === undefined) return true;
  return (type === "number" || type === "integer" || type === "boolean") && values === undefined && oneOf === undefined;
}

function isNumber({ type }: Field): boolean {
  return type === "number" || type === "integer";
}

/** @returns undefined when the dialog was closed, or the answer is not of the field's type. */
async function askField(title: string, field: Field, ui: ExtensionUi, signal: AbortSignal): Promise<Value | undefined> {
  const about = field.description === undefined ? title : `${title} (${field.description})`;
  const question = about.slice(0, MAX_MESSAGE_CHARACTERS);
  if (field.type === "boolean") {
    const answer = await ui.select(question, [AGREE, DECLINE], { signal });
    return answer === undefined ? undefined : answer === AGREE;
  }
  const choices = field.oneOf ?? field.enum?.map((value) => ({ const: value, title: value }));
  if (choices !== undefined) {
    const label = (choice: { const: string; title?: string | undefined }) => choice.title ?? choice.const;
    const answer = await ui.select(question, choices.map(label), { signal });
    return choices.find((choice) => label(choice) === answer)?.const;
  }
  const suggestion = field.default === undefined ? undefined : String(field.default);
  const given = await ui.input(question, suggestion, { signal });
  const answer = given === "" ? (suggestion ?? "") : given;
  if (answer === undefined || !isNumber(field)) return answer;
  if (answer.trim() === "") return "";
  const number = Number(answer);
  return field.type === "integer" ? z.int().safeParse(number).data : z.number().safeParse(number).data;
}
