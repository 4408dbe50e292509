import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import { type HostTool, HostToolFailed, textResult } from "../host-tool.ts";

/** Tools of other extensions are called so, to be told from ours. */
const PREFIX = "lm_";
const MAX_NAME_CHARS = 64;
/** Ours are offered to others, not to ourselves. */
const OWN = /^tiller_/;

const Arguments = z.record(z.string(), z.unknown());

/** The tools that other extensions, and MCP servers set up in the editor, offer to language models now. */
export function languageModelTools(): HostTool[] {
  const tools = vscode.lm.tools.filter(({ name }) => !OWN.test(name)).map(toHostTool);
  return [...new Map(tools.map((tool) => [tool.definition.name, tool])).values()];
}

function toHostTool({ name, description, inputSchema }: vscode.LanguageModelToolInformation): HostTool {
  const ownName = PREFIX + name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME_CHARS - PREFIX.length);
  const schema = Arguments.safeParse(inputSchema).data;
  return {
    definition: {
      name: ownName,
      label: name,
      description: description.trim() === "" ? `The tool ${name} of another extension.` : description,
      parameters: schema ?? { type: "object" },
      // Whether it changes something is not known; the editor asks the user by itself where the tool wants so.
      readOnly: false,
    },
    async run(args, { token }) {
      const input = Arguments.parse(args);
      try {
        return toPayload(await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token));
      } catch (error) {
        throw new HostToolFailed(`${name}: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

function toPayload({ content }: vscode.LanguageModelToolResult): ToolResultPayload {
  const text = content.map((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return part.value;
    return typeof part === "object" && part !== null && "value" in part ? JSON.stringify(part.value) : "";
  });
  return textResult(text.filter((part) => part !== "").join("\n"));
}
