import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AnyTool, ToolContext, ToolOutput } from "../../agent/tools/tool.ts";

/** An empty folder that is removed after the test. Its path has no symbolic links. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tiller-tools-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the context of a tool call in a given folder; parts can be replaced. */
export function toolContext(cwd: string, parts: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: "call-1",
    cwd,
    signal: new AbortController().signal,
    onUpdate: () => undefined,
    ready: () => Promise.resolve(),
    shell: {},
    env: {},
    ...parts,
  };
}

/** Checks the arguments and runs the tool. */
export function runTool(tool: AnyTool, args: unknown, context: ToolContext): Promise<ToolOutput> {
  const bound = tool.bind(args);
  if (!bound.ok) throw new Error(bound.problems.join("\n"));
  return bound.input.run(context);
}

/** The first text of a result. */
export function textOf(output: ToolOutput): string {
  const [first] = output.content;
  return first?.type === "text" ? first.text : "";
}
