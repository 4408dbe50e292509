import type { AnyTool } from "../tools/tool.ts";
import type { ExtensionHost } from "./host.ts";
import type { Extension } from "./registrations.ts";

/** The tools that extensions brought. The first extension that brings a name keeps it, and may bring it again. */
export class OfferedTools {
  readonly #owners = new Map<string, Extension>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /**
   * Adds a tool until the extension's end.
   * @param isActive whether the model is told of it when the user did not choose.
   * @throws Error when the host has a tool of that name.
   */
  offer(extension: Extension, tool: AnyTool, isActive: boolean, host: ExtensionHost): void {
    const { name } = tool;
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner !== extension) {
      this.#warn(`The tool "${name}" of ${extension.path} is left out: ${owner.path} has one of the same name.`);
      return;
    }
    host.addTool(tool, isActive);
    this.#owners.set(name, extension);
    extension.life.atEnd(() => {
      if (this.#owners.get(name) === extension) this.#owners.delete(name);
      host.removeTool(tool);
    });
  }
}
