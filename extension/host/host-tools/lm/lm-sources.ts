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

/** Where the tools that the editor lists come from, by the manifests of the extensions. */
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
   * Whether a tool is one of an extension that the user installed, or of an MCP server of the editor. What comes with the editor is made for its own
   * chat and does not work outside of it.
   */
  isLent(tool: ListedTool): boolean {
    if (isOfMcp(tool)) return true;
    const contributed = this.#contributed.get(tool.name);
    // Extensions that run in another process are not known here; the editor names them with their publisher.
    if (contributed === undefined) return /^(?!vscode\.|github\.copilot)[\w-]+\.[\w-]+\//i.test(fullName(tool) ?? "");
    const { isBuiltin, when, canBeReferencedInPrompt = false } = contributed;
    if (isBuiltin) return false;
    // Whether `when` holds is not told, but a tool that people can name has a name only as long as it does.
    const hasNames = "fullReferenceName" in tool;
    return when === undefined || !canBeReferencedInPrompt || !hasNames || fullName(tool) !== undefined;
  }
}

/**
 * The name that a tool of an MCP server of the editor has when the agent runs that server itself; undefined for other tools.
 * Only letters and digits of it count.
 */
export function ownMcpName(tool: ListedTool): string | undefined {
  if (!isOfMcp(tool)) return undefined;
  // The tool's name begins with what the server calls itself; its full name with what the user calls the server, as the agent does.
  return `mcp__${(fullName(tool) ?? tool.name.replace(/^mcp_/, "")).replace("/", "__")}`;
}

function isOfMcp({ name, tags }: ListedTool): boolean {
  return tags.includes("mcp") || name.startsWith("mcp_");
}

/** `publisher.extension/tool` or `server/tool`; older editors do not tell, and neither do the types. */
function fullName(tool: ListedTool): string | undefined {
  const name: unknown = Reflect.get(tool, "fullReferenceName");
  return typeof name === "string" ? name : undefined;
}
