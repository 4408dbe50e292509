import * as z from "zod";
import type { FileOperations } from "../../extensions/session-events.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import { renameFields } from "../../tools/argument-names.ts";
import { type NamedCall, withToolName } from "../../tools/tool-names.ts";

/** The files that a conversation was about; a file that was changed is listed only as changed. */
export const FileLists = z.lazy(() => z.object({ readFiles: z.array(z.string()), modifiedFiles: z.array(z.string()) }));
export type FileLists = z.infer<typeof FileLists>;

const PathArgument = z.lazy(() => z.object({ path: z.string().min(1) }));
const PATH_FIELD = { path: true };
const FILE_TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit"]);
const BLOCKS = /\n*<(read-files|modified-files)>\n[\s\S]*?\n<\/\1>/g;

/** Returns the files read and changed in these messages, and in those that earlier summaries replace. */
export function fileOperations(messages: readonly AgentMessage[], before: readonly FileLists[]): FileOperations {
  const files = {
    read: new Set(before.flatMap(({ readFiles }) => readFiles)),
    written: new Set<string>(),
    edited: new Set(before.flatMap(({ modifiedFiles }) => modifiedFiles)),
  };
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall") continue;
      const { name, path } = fileOf(block);
      if (path === undefined) continue;
      if (name === "read") files.read.add(path);
      if (name === "write") files.written.add(path);
      if (name === "edit") files.edited.add(path);
    }
  }
  return files;
}

/** Returns the file that a call reads; undefined for a call of another tool. */
export function readPath(call: NamedCall): string | undefined {
  const { name, path } = fileOf(call);
  return name === "read" ? path : undefined;
}

/** Models give other names to tools and arguments. */
function fileOf(called: NamedCall): { name: string; path: string | undefined } {
  const call = withToolName(called, FILE_TOOLS);
  return { name: call.name, path: PathArgument.safeParse(renameFields(call.arguments, PATH_FIELD)).data?.path };
}

/** The files as a summary lists them, each list sorted. */
export function fileLists({ read, written, edited }: FileOperations): FileLists {
  const modified = new Set([...written, ...edited]);
  return { readFiles: [...read].filter((path) => !modified.has(path)).sort(), modifiedFiles: [...modified].sort() };
}

/**
 * Returns a summary with its file lists behind it; an empty list is left out.
 * @param reasons why files were read, by path.
 */
export function withFileBlocks(
  summary: string,
  { readFiles, modifiedFiles }: FileLists,
  reasons: ReadonlyMap<string, string> = new Map(),
): string {
  const read = readFiles.map((path) => {
    const reason = reasons.get(path);
    return reason === undefined ? path : `${path} (${reason})`;
  });
  return [summary, ...fileBlock("read-files", read), ...fileBlock("modified-files", modifiedFiles)].join("\n\n");
}

/** The summary alone: the lists are carried over in another way. */
export function withoutFileBlocks(summary: string): string {
  return summary.replace(BLOCKS, "").trimEnd();
}

function fileBlock(tag: string, files: readonly string[]): string[] {
  return files.length === 0 ? [] : [`<${tag}>\n${files.join("\n")}\n</${tag}>`];
}
