import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { resolvePath } from "./paths.ts";
import { replaceFile, withFileLock } from "./replace-file.ts";
import { defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const WriteInput = z.object({
  path: z.string().min(1).describe("File to write, relative or absolute"),
  content: z.string().describe("The whole content"),
});

/** Creates a file or replaces all of it. */
export const writeTool = defineTool({
  name: "write",
  description: "Writes a whole file. It is created together with missing folders, or overwritten when it exists.",
  input: WriteInput,
  concurrency: "exclusive",
  isReadOnly: false,
  promptSnippet: "Create or overwrite files",
  promptGuidelines: ["Use write for new files and complete rewrites only; use edit for changes."],
  summarize: ({ path }) => path,
  run: runWrite,
});

async function runWrite(input: z.output<typeof WriteInput>, context: ToolContext): Promise<ToolOutput> {
  const path = resolvePath(context.cwd, input.path);
  await withFileLock(path, async () => {
    if (context.signal.aborted) throw new Error("Operation aborted");
    await requireWritableKind(path, input.path);
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, input.content);
  });
  return textOutput(`Successfully wrote ${Buffer.byteLength(input.content)} bytes to ${input.path}`);
}

async function requireWritableKind(path: string, shownPath: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) throw new Error(`EISDIR: illegal operation on a directory, open '${path}'`);
  // Opening a pipe or a device would wait for somebody at its other end.
  if (stats !== undefined && !stats.isFile()) throw new Error(`Not a regular file: ${shownPath}`);
}
