import type { MessagesRequest } from "./messages-api.ts";

/** Returns which part of a request changed although a later request should only add to it; undefined if it grew. */
export function changedPart(before: MessagesRequest, after: MessagesRequest): string | undefined {
  if (before.model !== after.model) return "model";
  if (plain(before.tools) !== plain(after.tools)) return "tools";
  if (plain(before.system) !== plain(after.system)) return "system prompt";
  const old = blocksOf(before);
  const now = blocksOf(after);
  const at = old.findIndex((block, index) => block !== now[index]);
  return at === -1 ? undefined : `messages (${old[at]?.slice(0, 300)} became ${now[at]?.slice(0, 300)})`;
}

/** True if the tools of a request are those of an earlier one, in their order, with others behind them. */
export function hasOnlyMoreTools(
  { tools: before = [] }: MessagesRequest,
  { tools: after = [] }: MessagesRequest,
): boolean {
  return plain(before) === plain(after.slice(0, before.length));
}

function blocksOf({ messages }: MessagesRequest): string[] {
  return messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [content] : content).map((block) => plain({ role, block })),
  );
}

/** Returns the text of a value without the cache marks, which move from request to request. */
function plain(value: unknown): string {
  return JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part)) ?? "";
}
