import * as z from "zod";

/** A process that a command left running. */
export const BackgroundProcess = z.object({
  id: z.string().describe("names it in `bash_output`, `bash_stop` and `stop_background`"),
  pid: z.int(),
  command: z.string(),
  outputPath: z.string().optional().describe("the file that its output goes to, if it is one"),
});
export type BackgroundProcess = z.infer<typeof BackgroundProcess>;
