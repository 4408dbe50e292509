import { ImageContent, type InputContent, TextContent } from "../../protocol/content.ts";
import type { HostToolResult } from "../../protocol/host-tools.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** The result of a host's answer; every answer, whatever its form, is one of the two. */
export type HostOutcome = { ok: true; output: ToolOutput } | { ok: false; message: string };

/** Reads a host's answer as its author most likely meant it. */
export function readHostResult(frame: HostToolResult): HostOutcome {
  const output = readOutput(frame);
  const isError = frame.isError === true || field(frame.result, "isError") === true;
  if (!isError) return { ok: true, output };
  const text = output.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
    .trim();
  return { ok: false, message: text || "Host tool execution failed" };
}

/** Reads the partial result of a host tool. */
export function readHostContent(result: unknown): InputContent[] {
  if (typeof result === "string") return [textBlock(result)];
  const content = field(result, "content");
  if (typeof content === "string") return [textBlock(content)];
  if (Array.isArray(content)) return content.map(readBlock);
  const data = field(result, "data");
  if (data !== undefined) return [textBlock(typeof data === "string" ? data : JSON.stringify(data))];
  return [textBlock(JSON.stringify(result))];
}

function readOutput({ result, error }: HostToolResult): ToolOutput {
  if (result === undefined || result === null) {
    return { content: error === undefined ? [] : [textBlock(error)], details: {} };
  }
  return {
    content: readHostContent(result),
    details: field(result, "details") ?? {},
    isWarning: field(result, "isWarning") === true,
    terminate: field(result, "terminate") === true,
  };
}

function readBlock(item: unknown): InputContent {
  const text = TextContent.safeParse(item);
  if (text.success) return text.data;
  const image = ImageContent.safeParse(item);
  return image.success ? image.data : textBlock(JSON.stringify(item) ?? "");
}

function textBlock(text: string): InputContent {
  return { type: "text", text };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
