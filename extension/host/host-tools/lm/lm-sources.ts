import * as z from "zod";

const Contributed = z.object({
  name: z.string(),
  when: z.string().optional(),
  canBeReferencedInPrompt: z.boolean().optional(),
});
const Manifest = z.object({
  isBuiltin: z.boolean().optional(),
  contributes: z.object({ languageModelTools: z.array(z.unknown()) }),
});

/** A tool as the editor lists it. */
interface ListedTool {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Finds out where the editor's tools come from, by the manifests of the extensions. */
export class LmSources {
  readonly #contributed = new Map<string, z.infer<typeof Contributed> & { readonly isBuiltin: boolean }>();

  constructor(manifests: readonly unknown[]) {
    for (const manifest of manifests) {
      const { contributes, isBuiltin = false } = Manifest.safeParse(manifest).data ?? {};
      for (const value of contributes?.languageModelTools ?? []) {
        const tool = Contributed.safeParse(value).data;
        if (tool !== undefined) this.#contributed.set(tool.name, { ...tool, isBuiltin });
      }
    }
  }

  /**
   * True when a tool belongs to an extension that the user installed, or to an MCP server of the editor. Built-in tools are made for the editor's
   * own chat and do not work outside of it.
   */
  isAvailable(tool: ListedTool): boolean {
    if (isOfMcp(tool)) return true;
    const contributed = this.#contributed.get(tool.name);
    // Manifests of extensions in another process are unknown here; the editor names their tools with the publisher.
    if (contributed === undefined) return /^(?!vscode\.|github\.copilot)[\w-]+\.[\w-]+\//i.test(fullName(tool) ?? "");
    const { isBuiltin, when, canBeReferencedInPrompt = false } = contributed;
    if (isBuiltin) return false;
    // The result of `when` is not available, but a tool that can be referenced has its full name only while `when` holds.
    const hasNames = "fullReferenceName" in tool;
    return when === undefined || !canBeReferencedInPrompt || !hasNames || fullName(tool) !== undefined;
  }
}

/**
 * Returns the name of an editor's MCP tool when the agent runs that server itself; undefined for other tools.
 * Only its letters and digits count.
 */
export function ownMcpName(tool: ListedTool): string | undefined {
  if (!isOfMcp(tool)) return undefined;
  // The tool's name begins with the server's own name; its full name with the user's name for the server, as in the agent.
  return `mcp__${(fullName(tool) ?? tool.name.replace(/^mcp_/, "")).replace("/", "__")}`;
}

function isOfMcp({ name, tags }: ListedTool): boolean {
  return tags.includes("mcp") || name.startsWith("mcp_");
}

/** Returns `publisher.extension/tool` or `server/tool`, which is not in the types; undefined in older editors. */
function fullName(tool: ListedTool): string | undefined {
  const name: unknown = Reflect.get(tool, "fullReferenceName");
  return typeof name === "string" ? name : undefined;
}
