import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import type { ChangePreview } from "../protocol/dialogs.ts";
import type { EditFiles } from "./editable-file.ts";
import { resolvePath } from "./paths.ts";
import { previewChange } from "./preview.ts";
import { replaceFile, withFileLock } from "./replace-file.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const WriteInput = z.object({
  path: z.string().min(1).describe("File to write, relative or absolute"),
  content: z.string().describe("The whole content"),
});
type WriteInput = z.output<typeof WriteInput>;

/** Puts a whole file where `path` says, with the folders that lead there. @throws Error when something else is in its place. */
export type SaveFile = (path: string, content: string, shownPath: string) => Promise<void>;

/**
 * Makes the tool that creates a file or replaces all of it.
 * @param save where the file goes. @param files where what it replaces is looked at; without it nothing is shown beforehand.
 */
export function writeToolOver(save: SaveFile, files?: EditFiles): AnyTool {
  return defineTool({
    name: "write",
    description: "Writes a whole file. It is created together with missing folders, or overwritten when it exists.",
    input: WriteInput,
    concurrency: "exclusive",
    isReadOnly: false,
    promptSnippet: "Create or overwrite files",
    promptGuidelines: ["Use write for new files and complete rewrites only; use edit for changes."],
    summarize: ({ path }) => path,
    ...(files && { preview: (input: WriteInput, cwd: string) => previewWrite(files, input, cwd) }),
    run: (input, context) => runWrite(save, input, context),
  });
}

/** Creates a file of this machine or replaces all of it. */
export const writeTool = writeToolOver(saveLocalFile);

async function runWrite(save: SaveFile, input: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const path = resolvePath(context.cwd, input.path);
  await withFileLock(path, async () => {
    if (context.signal.aborted) throw new Error("Operation aborted");
    await save(path, input.content, input.path);
  });
  return textOutput(`Successfully wrote ${Buffer.byteLength(input.content)} bytes to ${input.path}`);
}

async function previewWrite(files: EditFiles, input: WriteInput, cwd: string): Promise<ChangePreview | undefined> {
  const path = resolvePath(cwd, input.path);
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const before = isThere ? (await files.load(path, input.path)).text : "";
  return previewChange({ path, shownPath: input.path }, before, input.content);
}

/** Puts a whole file of this machine where `path` says. @throws Error when something else is in its place. */
export async function saveLocalFile(path: string, content: string, shownPath: string): Promise<void> {
  await requireWritableKind(path, shownPath);
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, content);
}

async function requireWritableKind(path: string, shownPath: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) throw new Error(`EISDIR: illegal operation on a directory, open '${path}'`);
  // Opening a pipe or a device would wait for somebody at its other end.
  if (stats !== undefined && !stats.isFile()) throw new Error(`Not a regular file: ${shownPath}`);
}
