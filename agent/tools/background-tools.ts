import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as z from "zod";
import type { BackgroundProcesses } from "./background.ts";
import { describeOutput } from "./bash.ts";
import { type OpenedServer, openedText } from "./contained.ts";
import { type AnyTool, defineTool, type ToolContext, textOutput } from "./tool.ts";

const Target = z.object({ id: z.string().describe("Such as b1") });

/**
 * Makes the tools for what commands left running. They change nothing but that, which the agent started itself, so they need no permission.
 * @param takeOpened returns, once, the servers of the sandbox that were opened.
 */
export function backgroundTools(processes: BackgroundProcesses, takeOpened: () => Promise<OpenedServer[]>): AnyTool[] {
  return [
    defineTool({
      name: "bash_output",
      description:
        "Returns what a background process has printed since the last call, and whether it is still running.",
      input: Target,
      concurrency: "shared",
      isReadOnly: true,
      summarize: ({ id }) => id,
      async run({ id }, context) {
        await requireReadable(processes.outputPathOf(id), context);
        const { collected, isRunning } = await processes.read(id);
        const text = describeOutput(await collected.finish(), true);
        const opened = openedText(await takeOpened());
        const parts = [
          text,
          `[${id} ${isRunning ? "is running" : "has ended"}]`,
          ...(opened === undefined ? [] : [opened]),
        ];
        return textOutput(parts.join("\n\n"), { isRunning });
      },
    }),
    defineTool({
      name: "bash_stop",
      description: "Stops a background process and everything it started.",
      input: Target,
      concurrency: "exclusive",
      isReadOnly: true,
      summarize: ({ id }) => id,
      async run({ id }) {
        const { command } = await processes.stop(id);
        return textOutput(`Stopped ${id}: ${command}`);
      },
    }),
  ];
}

/** An output file is read like any other. @throws Error when a search would leave the file out. */
async function requireReadable(path: string | undefined, { leavesOut }: ToolContext): Promise<void> {
  if (path === undefined) return;
  const real = await realpath(path).catch(() => path);
  const isLeftOut = await leavesOut?.(dirname(real));
  if (isLeftOut?.(basename(real)) === true) throw new Error(`The output is in ${path}. Call read for that file.`);
}
