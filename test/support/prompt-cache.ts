import { createHash } from "node:crypto";
import type { MessagesRequest } from "./messages-api.ts";

/** How far before a mark the service looks for what an earlier request stored, in blocks. */
const LOOK_BACK_BLOCKS = 20;

interface Block {
  text: string;
  isMarked: boolean;
}

/** Returns the share of all requests, by length, that a provider's cache serves: a marked prefix that an earlier request stored. */
export function cachedShare(requests: readonly MessagesRequest[]): number {
  const stored = new Set<string>();
  let cached = 0;
  let all = 0;
  for (const request of requests) {
    const blocks = blocksOf(request);
    const prefixes = prefixesOf(blocks);
    const isInReach = (at: number) => blocks.slice(at, at + LOOK_BACK_BLOCKS).some(({ isMarked }) => isMarked);
    const hit = prefixes.findLast(({ hash }, at) => stored.has(hash) && isInReach(at));
    cached += hit?.length ?? 0;
    all += prefixes.at(-1)?.length ?? 0;
    for (const [at, { isMarked }] of blocks.entries()) if (isMarked) stored.add(prefixes[at]?.hash ?? "");
  }
  return cached / all;
}

function blocksOf({ tools = [], system = [], messages }: MessagesRequest): Block[] {
  const head = [...tools, ...(typeof system === "string" ? [system] : system)];
  const said = messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [content] : content).map((block) => ({ role, block })),
  );
  return [...head, ...said].map((value) => {
    const text = JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part));
    return { text, isMarked: JSON.stringify(value).includes('"cache_control":{') };
  });
}

function prefixesOf(blocks: readonly Block[]): { hash: string; length: number }[] {
  let hash = "";
  let length = 0;
  return blocks.map(({ text }) => {
    hash = createHash("sha1").update(hash).update(text).digest("hex");
    length += text.length;
    return { hash, length };
  });
}
