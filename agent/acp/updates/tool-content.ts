import type { ToolCallContent } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { InputContent } from "../../protocol/content.ts";

const Patched = z.object({ patch: z.string().min(1) });

/** A change of a file: the texts before and after it. */
export interface FileChange {
  path: string;
  /** Null for a new file. */
  oldText: string | null;
  newText: string;
}

/** Tools whose output is code or text of a terminal, which Markdown would garble. */
const VERBATIM: ReadonlySet<string> = new Set(["read", "bash", "bash_output", "grep", "find", "ls"]);

/** Returns the result of a tool for the client to show. */
export function resultContent(toolName: string, content: readonly InputContent[]): ToolCallContent[] {
  return content
    .filter((block) => block.type !== "text" || block.text !== "")
    .map((block) => {
      if (block.type === "image") return shown({ type: "image", data: block.data, mimeType: block.mimeType });
      return shown({ type: "text", text: VERBATIM.has(toolName) ? fenced(block.text) : block.text });
    });
}

export function textContent(text: string): ToolCallContent {
  return shown({ type: "text", text });
}

export function diffContent({ path, oldText, newText }: FileChange): ToolCallContent {
  return { type: "diff", path, oldText, newText };
}

/** Returns the change of an earlier edit, whose texts are not known anymore. */
export function patchContent(details: unknown): ToolCallContent[] {
  const { data } = Patched.safeParse(details);
  return data === undefined ? [] : [textContent(`\`\`\`diff\n${data.patch}\n\`\`\``)];
}

/** Returns the text of a result, without images. */
export function textOf(content: readonly InputContent[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function shown(content: Extract<ToolCallContent, { type: "content" }>["content"]): ToolCallContent {
  return { type: "content", content };
}
