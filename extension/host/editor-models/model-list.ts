import * as z from "zod";
import type { HostModelDefinition } from "../../../agent/protocol/host-models.ts";

/** Our own models, which are not offered to ourselves. */
const OWN_VENDOR = /^tiller/i;

/** A language model as the editor describes it; `capabilities` exist, though the types do not include them. */
const EditorModel = z.object({
  id: z.string().min(1),
  vendor: z.string().min(1),
  name: z.string().catch(""),
  maxInputTokens: z.int().positive().optional().catch(undefined),
  capabilities: z
    .object({ supportsImageToText: z.boolean().optional(), supportsToolCalling: z.boolean().optional() })
    .catch({}),
});

/** The identification of a model of the editor. */
export interface EditorModelName {
  readonly vendor: string;
  readonly id: string;
}

/** Returns the agent's id of a model of the editor; vendors may use the same names. */
export function agentModelId({ vendor, id }: EditorModelName): string {
  return `${vendor}/${id}`;
}

/** Describes the editor's models for the agent, in the editor's order, without unreadable ones and Tiller's own. */
export function describeEditorModels(models: readonly unknown[]): HostModelDefinition[] {
  const known = new Map<string, HostModelDefinition>();
  for (const value of models) {
    const model = EditorModel.safeParse(value).data;
    if (model === undefined || OWN_VENDOR.test(model.vendor)) continue;
    const id = agentModelId(model);
    if (!known.has(id)) known.set(id, describe(id, model));
  }
  return [...known.values()];
}

function describe(
  id: string,
  { name, maxInputTokens, capabilities }: z.infer<typeof EditorModel>,
): HostModelDefinition {
  return {
    id,
    ...(name.trim() === "" ? {} : { name }),
    ...(maxInputTokens === undefined ? {} : { contextWindow: maxInputTokens }),
    // An editor that does not report capabilities may refuse images, but can be asked to call tools.
    input: capabilities.supportsImageToText === true ? ["text", "image"] : ["text"],
    tools: capabilities.supportsToolCalling !== false,
  };
}
