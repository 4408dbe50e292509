import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import type { AnyTool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools that are active when nobody chooses. */
export const DEFAULT_TOOL_NAMES: readonly string[] = ["read", "bash", "edit", "write"];

/** All tools that come with the agent. */
export function builtinTools(): AnyTool[] {
  return [readTool, bashTool, editTool, writeTool, grepTool, findTool, lsTool];
}
