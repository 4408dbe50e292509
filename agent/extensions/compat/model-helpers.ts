import { Type } from "typebox";
import type { ToolCall } from "../../protocol/content.ts";
import type { Model, Usage } from "../../protocol/model.ts";
import { toUsage } from "../../providers/cost.ts";
import { argumentCheck } from "../../tools/argument-check.ts";
import { uuidv7 } from "../../util/ids.ts";
import { parsePartialObject } from "../../util/partial-json.ts";
import { contentText } from "./conversation-text.ts";

interface DeclaredTool {
  name: string;
  parameters: Record<string, unknown>;
}

type ModelName = Pick<Model, "provider" | "id">;

/** One of several texts, in the form that every provider understands. */
function StringEnum(values: readonly string[], options: { description?: string; default?: string } = {}) {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

/** Puts prices to token counts: into `usage`, and as the result. */
function calculateCost(model: Model, usage: Usage): Usage["cost"] {
  usage.cost = toUsage(usage, model).cost;
  return usage.cost;
}

/** @throws Error that says what is wrong with the arguments. */
function validateToolArguments(tool: DeclaredTool, call: ToolCall): Record<string, unknown> {
  const parameters = { ...JSON.parse(JSON.stringify(tool.parameters)) };
  const parsed = argumentCheck(parameters, `tool "${tool.name}"`, console.error)(call.arguments);
  if (parsed.ok) return parsed.input;
  throw new Error([`Validation failed for tool "${call.name}":`, ...parsed.problems].join("\n"));
}

/** @throws Error when there is no such tool, or that says what is wrong with the arguments. */
function validateToolCall(tools: readonly DeclaredTool[], call: ToolCall): Record<string, unknown> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) throw new Error(`Tool "${call.name}" not found`);
  return validateToolArguments(tool, call);
}

function modelsAreEqual(a: ModelName | null | undefined, b: ModelName | null | undefined): boolean {
  return a != null && b != null && a.provider === b.provider && a.id === b.id;
}

/** The exports of pi's model library that call no model. */
export const modelHelpers = {
  Type,
  StringEnum,
  uuidv7,
  calculateCost,
  contentText,
  hasApi: (model: Model, api: string) => model.api === api,
  modelsAreEqual,
  parseStreamingJson: (text = "") => parsePartialObject(text),
  validateToolArguments,
  validateToolCall,
};
