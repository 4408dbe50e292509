import type { CommandPreviews } from "../../previews/command-previews.ts";
import type { PreviewedCommands } from "../../tools/previewed-commands.ts";
import { type ShellSettings, ToolFailure, type ToolOutput } from "../../tools/tool.ts";

const NOTE =
  "[The user saw a preview of this command, which ran without a network. What it changed was then applied; what it started was ended.]";

interface PreviewParts {
  cwd: string;
  /** The folders of the workspace. */
  roots: readonly string[];
  env: NodeJS.ProcessEnv;
  shell: ShellSettings;
  /** More variables for commands. */
  childEnv: Record<string, string>;
}

export function loadPreviews({ cwd, roots, env, shell, childEnv }: PreviewParts): PreviewedCommands {
  let loading: Promise<CommandPreviews> | undefined;
  const load = () => {
    loading ??= import("../../previews/command-previews.ts").then(
      (module) => new module.CommandPreviews({ roots, env, surroundings: { cwd, shell, env: childEnv } }),
    );
    return loading;
  };
  return {
    isPossible: async () => process.platform === "linux" && (await load()).isPossible(),
    run: async (args, signal) => (await load()).run(args, signal),
    apply: async (previewId) => void (await (await load()).apply(previewId)),
    applyForCall: async (previewId) => asResult(await (await load()).apply(previewId)),
    discard: async (previewId) => (await load()).discard(previewId),
    end: async () => (await loading)?.end(),
  };
}

/** Tells the model how its command ran. */
function asResult(result: ToolOutput | ToolFailure): ToolOutput {
  if (result instanceof ToolFailure) throw new ToolFailure(`${result.message}\n\n${NOTE}`, result.details);
  return { ...result, content: [...result.content, { type: "text", text: NOTE }] };
}
