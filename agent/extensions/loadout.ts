import * as z from "zod";
import type { LoadoutChanges, ToolLoadout } from "../tools/tool.ts";
import type { ToolLoadoutView } from "./api-tool.ts";
import type { ExtensionFunction } from "./registrations.ts";
import { toolInfo } from "./tool-info.ts";

const Changes = z.lazy(() =>
  z
    .object({ descriptions: z.record(z.string(), z.string()), hiddenDeclarations: z.array(z.string()) })
    .partial()
    .optional(),
);

/** Asks a tool of an extension how to tell the model of the tools. @param failed told of an error, which changes nothing. */
export function askLoadout(
  prepare: ExtensionFunction | undefined,
  loadout: ToolLoadout,
  failed: (error: unknown) => void,
): LoadoutChanges | undefined {
  try {
    return Changes.parse(prepare?.(viewOf(loadout)));
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function viewOf({ declared, callable, registered }: ToolLoadout): ToolLoadoutView {
  const all = registered.map(toolInfo);
  const find = (name: string) => all.find((tool) => tool.name === name);
  return {
    declared: declared.map(toolInfo),
    callable: callable.map(toolInfo),
    registered: all,
    getExposure: (name) => find(name)?.exposure ?? "direct",
    getNamespace: (name) => find(name)?.namespace,
    getPromptGuidelines: (name) => find(name)?.promptGuidelines ?? [],
  };
}
