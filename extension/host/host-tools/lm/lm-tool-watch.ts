import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { type HostTool, HostToolFailed } from "../host-tool.ts";
import { lmResult } from "./lm-result.ts";
import { LmSources, ownMcpName } from "./lm-sources.ts";

/** Polling interval in milliseconds, since the editor has no event for added and removed tools. */
const INTERVAL_MS = 250;

/** Watches the tools of other extensions and of MCP servers of the editor. Polls only while an agent runs. */
export class LmToolWatch implements vscode.Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #extensions: vscode.Disposable;
  #listed: readonly vscode.LanguageModelToolInformation[] = [];
  #tools: readonly HostTool[] = [];
  /** True until `changed` is called for a change, even when a reader of the tools has seen it before. */
  #isNews = false;

  /** @param changed is called when the tools have changed. */
  constructor(isNeeded: () => boolean, changed: () => void) {
    this.#timer = setInterval(() => {
      if (!isNeeded()) return;
      this.#refresh();
      if (!this.#isNews) return;
      this.#isNews = false;
      changed();
    }, INTERVAL_MS);
    // The tools of an extension may be listed before its manifest is available.
    this.#extensions = vscode.extensions.onDidChange(() => {
      this.#listed = [];
    });
  }

  get tools(): readonly HostTool[] {
    this.#refresh();
    return this.#tools;
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#extensions.dispose();
  }

  #refresh(): void {
    const listed = vscode.lm.tools;
    // The editor lists a new object for a tool of which anything has changed.
    const isSame = listed.length === this.#listed.length && listed.every((tool, at) => tool === this.#listed[at]);
    if (isSame) return;
    this.#listed = listed;
    this.#tools = languageModelTools(listed);
    this.#isNews = true;
  }
}

/** Prefix that distinguishes the tools of other extensions from ours. */
const PREFIX = "lm_";
const MAX_NAME_CHARS = 64;
/** Our own tools are offered to others, not to ourselves. */
const OWN = /^tiller_/;

const Arguments = z.record(z.string(), z.unknown());

/** Converts the tools that other extensions, and MCP servers set up in the editor, offer to language models. */
function languageModelTools(listed: readonly vscode.LanguageModelToolInformation[]): HostTool[] {
  const sources = new LmSources(vscode.extensions.all.map(({ packageJSON }) => packageJSON));
  const tools = listed.filter((tool) => !OWN.test(tool.name) && sources.isAvailable(tool)).map(toHostTool);
  return [...new Map(tools.map((tool) => [tool.definition.name, tool])).values()];
}

function toHostTool(tool: vscode.LanguageModelToolInformation): HostTool {
  const { name, description, inputSchema } = tool;
  const sameAs = ownMcpName(tool);
  return {
    definition: {
      name: PREFIX + name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME_CHARS - PREFIX.length),
      label: name,
      description: description.trim() === "" ? `The tool ${name} of another extension.` : description,
      // Model APIs reject the whole request for one schema whose type is not object.
      parameters: { ...Arguments.safeParse(inputSchema).data, type: "object" },
      // Its effects are unknown; the editor itself asks the user if the tool requires that.
      readOnly: false,
      source: "VS Code",
      ...(sameAs === undefined ? {} : { sameAs }),
    },
    async run(args, { token }) {
      const input = Arguments.parse(args);
      try {
        const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
        return lmResult(content);
      } catch (error) {
        throw new HostToolFailed(describeFailure(name, error), { cause: error });
      }
    },
  };
}

function describeFailure(name: string, error: unknown): string {
  // The editor reports a refusal of the user and a tool that cancels itself in the same way.
  const isCancelled = error instanceof Error && error.name === new vscode.CancellationError().name;
  if (!isCancelled) return `${name}: ${errorMessage(error)}`;
  return `${name} didn't run: the user declined it in the editor, or the tool stopped. Don't call it again unless the user asks for it.`;
}
