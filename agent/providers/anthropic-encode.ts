import type { WireAssistantBlock, WireMessage, WireUserBlock } from "./anthropic-wire.ts";

/** The text of blocks: a run sends the same ones with every request, and to escape them anew would be most of the work. */
const encodedBlocks = new WeakMap<WireUserBlock | WireAssistantBlock, string>();

/** The text of a request's body, as `JSON.stringify` would write it. Blocks that were sent before are not encoded again. */
export function encodeRequest({ messages, ...rest }: { messages: readonly WireMessage[] }): string {
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"messages":[${messages.map(encodeMessage).join(",")}]}`;
}

function encodeMessage({ role, content }: WireMessage): string {
  return `{"role":"${role}","content":[${content.map(encodeBlock).join(",")}]}`;
}

function encodeBlock(block: WireUserBlock | WireAssistantBlock): string {
  const known = encodedBlocks.get(block);
  if (known !== undefined) return known;
  const json = JSON.stringify(block);
  encodedBlocks.set(block, json);
  return json;
}
