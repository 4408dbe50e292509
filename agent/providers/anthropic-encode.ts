import type { WireImage, WireMessage, WireRequest, WireText, WireToolResult } from "./anthropic-wire.ts";

/** JSON of what tools gave: a run sends the same results with every request, and escaping them anew would cost the most of it. */
const encodedResults = new WeakMap<WireText | WireImage, string>();

/** The text of a request's body, as `JSON.stringify` would write it. Contents of tool results are encoded once for all requests. */
export function encodeRequest({ messages, ...rest }: WireRequest): string {
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"messages":[${messages.map(encodeMessage).join(",")}]}`;
}

function encodeMessage(message: WireMessage): string {
  if (message.role === "assistant") return JSON.stringify(message);
  const blocks = message.content.map((block) =>
    block.type === "tool_result" ? encodeResult(block) : JSON.stringify(block),
  );
  return `{"role":"user","content":[${blocks.join(",")}]}`;
}

function encodeResult({ content, ...rest }: WireToolResult): string {
  return `${JSON.stringify(rest).slice(0, -1)},"content":[${content.map(encodeContent).join(",")}]}`;
}

function encodeContent(block: WireText | WireImage): string {
  const known = encodedResults.get(block);
  if (known !== undefined) return known;
  const json = JSON.stringify(block);
  encodedResults.set(block, json);
  return json;
}
