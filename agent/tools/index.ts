import { askUserTool, type UserPort } from "./ask-user.ts";
import { bashToolOver, type RunCommand } from "./bash.ts";
import { editToolOver } from "./edit.ts";
import type { EditFiles } from "./editable-file.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readToolOver } from "./read.ts";
import type { OpenFile } from "./readable-file.ts";
import { type Memory, recallTool } from "./recall.ts";
import { type PlanPort, todoWriteTool } from "./todo-write.ts";
import type { AnyTool } from "./tool.ts";
import { type FindTools, toolSearchTool } from "./tool-search.ts";
import { type SaveFile, writeToolOver } from "./write.ts";

/** The tools that are active by default. Web tools exist only if the settings enable them. */
export const DEFAULT_TOOL_NAMES: readonly string[] = [
  "read",
  "bash",
  "edit",
  "write",
  "todo_write",
  "recall",
  "ask_user",
  "web_fetch",
  "web_search",
];

/** Reads and writes files for the file tools. */
interface FilePlaces {
  open: OpenFile;
  edit: EditFiles;
  save: SaveFile;
}

/** The parts of the agent that the built-in tools use. */
interface ToolPorts {
  plan: PlanPort;
  memory: Memory;
  user: UserPort;
  files: FilePlaces;
  runCommand: RunCommand;
  findTools: FindTools;
  /** The shell that commands are written for; undefined for bash. */
  shellPath: string | undefined;
}

/** All tools that come with the agent. */
export function builtinTools({ plan, memory, user, files, runCommand, findTools, shellPath }: ToolPorts): AnyTool[] {
  const { open, edit, save } = files;
  return [
    readToolOver(open),
    bashToolOver(runCommand, shellPath),
    editToolOver(edit),
    writeToolOver(save, edit),
    todoWriteTool(plan),
    recallTool(memory),
    askUserTool(user),
    toolSearchTool(findTools),
    grepTool,
    findTool,
    lsTool,
  ];
}
