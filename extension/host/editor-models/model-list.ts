import * as z from "zod";
import type { HostModelDefinition } from "../../../agent/protocol/host-models.ts";

/** Ours are not brought back to ourselves. */
const OWN_VENDOR = /^tiller/i;

/** A language model as the editor describes it; `capabilities` are there though its types do not say so. */
const EditorModel = z.object({
  id: z.string().min(1),
  vendor: z.string().min(1),
  name: z.string().catch(""),
  maxInputTokens: z.int().positive().optional().catch(undefined),
  capabilities: z
    .object({ supportsImageToText: z.boolean().optional(), supportsToolCalling: z.boolean().optional() })
    .catch({}),
});

/** What names a model of the editor. */
export interface EditorModelName {
  readonly vendor: string;
  readonly id: string;
}

/** What the agent calls a model of the editor: several vendors may have one of the same name. */
export function agentModelId({ vendor, id }: EditorModelName): string {
  return `${vendor}/${id}`;
}

/** The editor's models as the agent is told of them, in the editor's order; those that cannot be read, and Tiller's own, are left out. */
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
    // An editor that does not say may refuse pictures, but it can be asked to call tools.
    input: capabilities.supportsImageToText === true ? ["text", "image"] : ["text"],
    tools: capabilities.supportsToolCalling !== false,
  };
}
