import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { type TodoPort, todoWriteTool } from "./todo-write.ts";
import type { AnyTool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools that are active when nobody chooses. */
export const DEFAULT_TOOL_NAMES: readonly string[] = ["read", "bash", "edit", "write", "todo_write"];

/** All tools that come with the agent. */
export function builtinTools(todos: TodoPort): AnyTool[] {
  return [readTool, bashTool, editTool, writeTool, todoWriteTool(todos), grepTool, findTool, lsTool];
}
