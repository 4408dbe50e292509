import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import type { ChangePreview, EditedChange } from "../protocol/dialogs.ts";
import { exists, withoutLine } from "../util/existing-path.ts";
import { looksLikeAddress } from "../util/paths.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { BUILTIN_PATHS, locatePath } from "./builtin-paths.ts";
import type { EditFiles } from "./editable-file.ts";
import { applyEdited, describeEdited } from "./edited-change.ts";
import { requireNotebook } from "./notebook.ts";
import { previewChange } from "./preview.ts";
import { replaceFile, withFileLock } from "./replace-file.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const WriteInput = z.object({
  path: z.string().min(1).describe("File to write, relative or absolute"),
  content: z.string().describe("The new content, all of it"),
});
type WriteInput = z.output<typeof WriteInput>;

/** Puts a whole file where `path` says, with the folders that lead there. @throws Error when something else is in its place. */
export type SaveFile = (path: string, content: string, shownPath: string) => Promise<void>;

interface WritePlaces {
  save: SaveFile;
  files: EditFiles | undefined;
}

/**
 * Makes the tool that creates a file or replaces all of it.
 * @param save where the file goes. @param files where what it replaces is looked at; without it nothing is shown beforehand.
 */
export function writeToolOver(save: SaveFile, files?: EditFiles): AnyTool {
  return defineTool({
    name: "write",
    description: "Creates a file and any missing folders, or replaces the entire content of an existing file.",
    input: WriteInput,
    concurrency: "exclusive",
    isReadOnly: false,
    paths: BUILTIN_PATHS.write,
    promptSnippet: "Create or overwrite files",
    promptGuidelines: ["Use write only for new files and complete rewrites; use edit for changes."],
    summarize: ({ path }) => path,
    ...(files && { preview: (input: WriteInput, cwd: string) => previewWrite(files, input, cwd) }),
    run: (input, context) => runWrite({ save, files }, input, context),
  });
}

/** Creates a file of this machine or replaces all of it. */
export const writeTool = writeToolOver(saveLocalFile);

async function runWrite(places: WritePlaces, input: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const { edited } = context;
  const content = await withFileLock(locate(places.files, context.cwd, input.path), async (path) => {
    if (context.signal.aborted) throw new Error("Operation aborted");
    const text = edited ? await contentAsEdited(places.files, path, input, edited) : input.content;
    requireNotebook(path, input.path, { after: text });
    await places.save(path, text, input.path);
    context.seenFiles?.noteChange(path);
    return text;
  });
  const note = edited ? await describeEdited(input.path, input.content, content) : "";
  return textOutput(`Successfully wrote ${Buffer.byteLength(content)} bytes to ${input.path}${note}`);
}

async function contentAsEdited(
  files: EditFiles | undefined,
  path: string,
  { path: shownPath, content }: WriteInput,
  edited: EditedChange,
): Promise<string> {
  const current = files ? await contentNow(files, path, shownPath) : "";
  return applyEdited({ path: shownPath, current, proposed: content }, edited);
}

/** Absolute path of what the model named, or its address. */
async function locate(files: EditFiles | undefined, cwd: string, shownPath: string): Promise<string> {
  const address = await files?.addressOf?.(cwd, shownPath);
  if (address !== undefined) return address;
  const path = ordinaryPath(await locatePath("write", cwd, shownPath));
  const lineless = withoutLine(path);
  if (lineless !== undefined && !(await exists(path)) && (await exists(lineless))) {
    throw new Error(`${shownPath} is a line of a file. Give the path of the file without the line number.`);
  }
  return path;
}

async function previewWrite(files: EditFiles, input: WriteInput, cwd: string): Promise<ChangePreview | undefined> {
  const path = await locate(files, cwd, input.path);
  const before = await contentNow(files, path, input.path);
  return previewChange({ path, shownPath: input.path }, before, input.content);
}

/** The text of a file; "" when there is none. */
async function contentNow(files: EditFiles, path: string, shownPath: string): Promise<string> {
  if (looksLikeAddress(path)) return (await files.load(path, shownPath)).text;
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere ? (await files.load(path, shownPath)).text : "";
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
