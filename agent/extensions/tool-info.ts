import type { AnyTool } from "../tools/tool.ts";
import type { ToolInfo } from "./api-tool.ts";

/** Returns a tool's information for extensions. */
export function toolInfo({ name, description, parameters, origin, exposure = "direct", ...tool }: AnyTool): ToolInfo {
  const { promptGuidelines, annotations, namespace, outputSchema, reachesTools } = tool;
  const sourceInfo = { path: `<${origin}:${name}>`, source: origin, scope: "temporary", origin: "top-level" } as const;
  return {
    name,
    description,
    parameters,
    exposure,
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(reachesTools === undefined ? {} : { reachesTools }),
    sourceInfo,
  };
}
