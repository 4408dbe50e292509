import * as z from "zod";
import { type BackgroundProcesses, backgroundProcesses } from "./background.ts";
import { describeOutput } from "./bash.ts";
import { type AnyTool, defineTool, textOutput } from "./tool.ts";

const Target = z.object({ id: z.string().describe("Such as b1") });

/**
 * Makes the tools for what commands left running. They change nothing but that, which the agent started itself, so they need no permission.
 */
export function backgroundTools(processes: BackgroundProcesses = backgroundProcesses): AnyTool[] {
  return [
    defineTool({
      name: "bash_output",
      description: "Returns what a background process has printed since the last look, and whether it still runs.",
      input: Target,
      concurrency: "shared",
      isReadOnly: true,
      summarize: ({ id }) => id,
      async run({ id }) {
        const { collected, isRunning } = await processes.read(id);
        const text = describeOutput(await collected.finish(), true);
        return textOutput(`${text}\n\n[${id} ${isRunning ? "is running" : "has ended"}]`, { isRunning });
      },
    }),
    defineTool({
      name: "bash_stop",
      description: "Ends a background process with everything that it started.",
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
