import { createHash } from "node:crypto";
import { type ApiError, describeShapeProblem, MessagesRequest, type RequestBlock } from "./messages-api.ts";

import { checkDocuments } from "./messages-api-documents.ts";
import { checkImages, type PlacedBlock } from "./messages-api-images.ts";
import { checkCitations, checkServerBlocks } from "./messages-api-search.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One message with its content as blocks. */
interface Turn {
  role: "user" | "assistant";
  blocks: readonly RequestBlock[];
}

/** The key that the scripted service refuses. */
export const BAD_KEY = "bad-key";

const SIGNATURE_PREFIX = "scripted-sig-";

/** The signature that the scripted service gives to a thinking block and later demands back. */
export function signThinking(model: string, thinking: string): string {
  return SIGNATURE_PREFIX + createHash("sha256").update(`${model}\n${thinking}`).digest("hex").slice(0, 16);
}

/** Returns the problem with the headers, or undefined. */
export function checkHeaders(headers: Headers): ApiError | undefined {
  const key = headers["x-api-key"] ?? bearerToken(headers.authorization);
  if (key === undefined || key === "") return authentication("x-api-key header is required");
  if (key === BAD_KEY) return authentication("invalid x-api-key");
  if (headers["anthropic-version"] === undefined) return invalid("anthropic-version: header is required");
  return undefined;
}

const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const LONG_CONTEXT_BETA = "context-1m-2025-08-07";
const FETCH_BETA = "web-fetch-2025-09-10";
const BETAS: ReadonlySet<string> = new Set([
  BINDING_BETA,
  LONG_CONTEXT_BETA,
  FETCH_BETA,
  "interleaved-thinking-2025-05-14",
]);
const USUAL_WINDOW = 200_000;
const HAS_LONG_CONTEXT_BETA = /^claude-sonnet-4-(?:0|5|2)/;
const CHARACTERS_PER_TOKEN = 4;

/** Returns the problem with the header `anthropic-beta`, or with a request that needs another one. */
export function checkBetas(
  headers: Headers,
  { model, thinking, messages, tools }: MessagesRequest,
): ApiError | undefined {
  const named = String(headers["anthropic-beta"] ?? "").split(",");
  const unknown = named.filter((name) => name !== "" && !BETAS.has(name));
  if (unknown.length > 0) {
    return invalid(`Unexpected value(s) \`${unknown.join("`, `")}\` for the \`anthropic-beta\` header.`);
  }
  const bindsBlocks = thinking !== undefined && "block_binding" in thinking && thinking.block_binding !== undefined;
  if (bindsBlocks && !named.includes(BINDING_BETA)) {
    return invalid(`thinking.${thinking.type}.block_binding: Extra inputs are not permitted`);
  }
  if (tools?.some(({ type }) => type === "web_fetch_20250910") === true && !named.includes(FETCH_BETA)) {
    return invalid("tools: Input tag 'web_fetch_20250910' found using 'type' does not match any of the expected tags");
  }
  if (!HAS_LONG_CONTEXT_BETA.test(model) || named.includes(LONG_CONTEXT_BETA)) return undefined;
  const tokens = countTokens(messages);
  return tokens > USUAL_WINDOW ? invalid(`prompt is too long: ${tokens} tokens > ${USUAL_WINDOW} maximum`) : undefined;
}

function countTokens(messages: MessagesRequest["messages"]): number {
  const text = JSON.stringify(messages, (key, value) => (key === "data" ? undefined : value));
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function bearerToken(authorization: string | string[] | undefined): string | undefined {
  return typeof authorization === "string" ? /^Bearer (.+)$/.exec(authorization)?.[1] : undefined;
}

/** Returns what identifies the content of a response that the service paused and that it recognizes when it comes back. */
export function pausedContent(blocks: readonly { type: string; text?: string; thinking?: string }[]): string {
  return JSON.stringify(blocks.map(({ type, text, thinking }) => text?.trimEnd() ?? thinking ?? type));
}

/**
 * Reads a body, or says why the real service would refuse it.
 * @param paused the contents of the responses that it paused.
 */
export function checkBody(
  body: unknown,
  paused: ReadonlySet<string> = new Set(),
): { ok: true; request: MessagesRequest } | { ok: false; error: ApiError } {
  const parsed = MessagesRequest.safeParse(body);
  if (!parsed.success) return { ok: false, error: invalid(describeShapeProblem(parsed.error)) };
  const request = parsed.data;
  const turns = request.messages.map(
    (message): Turn => ({
      role: message.role,
      blocks: typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
    }),
  );
  const problem =
    checkThinkingSettings(request) ??
    checkModelRules(request) ??
    checkPrefill(request, turns, paused) ??
    checkTools(request) ??
    checkCacheControl(request, turns) ??
    checkTurns(turns) ??
    checkImages(placedBlocks(turns)) ??
    checkDocuments(placedBlocks(turns)) ??
    checkToolPairs(turns) ??
    checkServerBlocks(turns, request.tools ?? []) ??
    checkThinkingBlocks(request, turns);
  return problem === undefined ? { ok: true, request } : { ok: false, error: invalid(problem) };
}

function checkThinkingSettings({ thinking, max_tokens, temperature }: MessagesRequest): string | undefined {
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) {
    return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  }
  const isThinking = thinking?.type === "enabled" || thinking?.type === "adaptive";
  if (isThinking && temperature !== undefined && temperature !== 1) {
    return "`temperature` may only be set to 1 when thinking is enabled.";
  }
  return undefined;
}

const ALWAYS_ADAPTIVE = /^claude-(?:opus-5-5|fable-|mythos-)/;
const BUDGET_REJECTED = /^claude-(?:opus-4-[78]|opus-5|sonnet-5|haiku-5|fable-|mythos-)/;
const ADAPTIVE_UNKNOWN = /^claude-(?:3|opus-4-[015]|sonnet-4-[05]|haiku-4)/;
const EFFORT_UNKNOWN = /^claude-(?:3|opus-4-[01]|sonnet-4-[05]|haiku-4)/;

function checkModelRules(request: MessagesRequest): string | undefined {
  const { model, thinking, output_config: output, temperature } = request;
  const type = thinking?.type;
  const advice = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
  if (type === "adaptive" && ADAPTIVE_UNKNOWN.test(model)) return "adaptive thinking is not supported on this model";
  if (type === "enabled" && BUDGET_REJECTED.test(model)) {
    return `"thinking.type.enabled" is not supported for this model. ${advice}`;
  }
  if (type === "disabled" && (ALWAYS_ADAPTIVE.test(model) || model.startsWith("claude-sonnet-5-5"))) {
    return `"thinking.type.disabled" is not supported for this model. ${advice}`;
  }
  if (type === "between_tools" && !model.startsWith("claude-sonnet-5-5")) {
    return '"thinking.type.between_tools" is not supported for this model.';
  }
  if (output?.effort && EFFORT_UNKNOWN.test(model)) return "This model does not support the effort parameter.";
  const isFixed = temperature !== undefined && temperature !== 1 && BUDGET_REJECTED.test(model);
  return isFixed ? "`temperature` is not supported for this model." : undefined;
}

/** Newer models begin no answer for the client; a paused response comes back whole. */
function checkPrefill({ model }: MessagesRequest, turns: readonly Turn[], paused: ReadonlySet<string>) {
  const last = turns.at(-1);
  if (last?.role !== "assistant" || !BUDGET_REJECTED.test(model) || paused.has(pausedContent(last.blocks))) {
    return undefined;
  }
  return "This model does not support assistant message prefill. The conversation must end with a user message.";
}

function checkTools({ tools = [] }: MessagesRequest): string | undefined {
  const names = tools.map((tool) => tool.name);
  return new Set(names).size === names.length ? undefined : "tools: Tool names must be unique.";
}

function checkCacheControl({ system, tools = [], cache_control }: MessagesRequest, turns: readonly Turn[]) {
  const marked = [
    ...tools.map((tool) => tool.cache_control),
    ...(Array.isArray(system) ? system : []).map((block) => block.cache_control),
    ...turns.flatMap((turn) => turn.blocks.map((block) => ("cache_control" in block ? block.cache_control : null))),
    cache_control,
  ].filter((mark) => mark !== undefined && mark !== null);
  const short = marked.findIndex(({ ttl }) => ttl !== "1h");
  if (short !== -1 && marked.slice(short).some(({ ttl }) => ttl === "1h")) {
    return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
  }
  if (marked.length <= 4) return undefined;
  return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
}

function checkTurns(turns: readonly Turn[]): string | undefined {
  if (turns.length === 0) return "messages: at least one message is required";
  if (turns[0]?.role !== "user") return 'messages: first message must use the "user" role';
  for (const [index, turn] of turns.entries()) {
    const isLast = index === turns.length - 1;
    if (turn.blocks.length === 0) {
      return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
    }
    for (const [at, block] of turn.blocks.entries()) {
      const problem = checkBlock(block, turn.role);
      if (problem !== undefined) return `messages.${index}.content.${at}: ${problem}`;
    }
    const last = turn.blocks.at(-1);
    if (isLast && turn.role === "assistant" && last?.type === "text" && /\s$/.test(last.text)) {
      return "messages: final assistant content cannot end with trailing whitespace";
    }
  }
  return undefined;
}

function checkBlock(block: RequestBlock, role: Turn["role"]): string | undefined {
  switch (block.type) {
    case "text":
      if (block.text === "") return "text content blocks must be non-empty";
      if (block.text.trim() === "") return "text content blocks must contain non-whitespace text";
      return checkCitations(block.citations);
    case "image":
    case "document":
      return role === "user" ? undefined : `\`${block.type}\` blocks can only be in \`user\` messages`;
    case "tool_result":
      if (role !== "user") return "`tool_result` blocks can only be in `user` messages";
      return typeof block.content === "string"
        ? undefined
        : block.content?.map((inner) => checkBlock(inner, role)).find((problem) => problem !== undefined);
    case "tool_use":
    case "thinking":
    case "redacted_thinking":
    case "server_tool_use":
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      return role === "assistant" ? undefined : `\`${block.type}\` blocks can only be in \`assistant\` messages`;
  }
}

/** The blocks of a request, those in results of tools included, with their places. */
function placedBlocks(turns: readonly Turn[]): PlacedBlock[] {
  return turns.flatMap(({ blocks }, turn) =>
    blocks.flatMap((block, at) => {
      const place = `messages.${turn}.content.${at}`;
      const inner = block.type === "tool_result" && Array.isArray(block.content) ? block.content : [];
      const parts = inner.map((part, index) => ({ place: `${place}.tool_result.content.${index}`, block: part }));
      return [{ place, block }, ...parts];
    }),
  );
}

function checkToolPairs(turns: readonly Turn[]): string | undefined {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "user") {
      const problem = checkResults(turn, open, index);
      if (problem !== undefined) return problem;
      open = [];
      continue;
    }
    if (open.length > 0) return missingResults(index - 1, open);
    for (const [at, block] of turn.blocks.entries()) {
      if (block.type !== "tool_use") continue;
      if (seen.has(block.id)) return `messages.${index}.content.${at}: \`tool_use\` ids must be unique`;
      seen.add(block.id);
      open.push(block.id);
    }
  }
  return open.length > 0 ? missingResults(turns.length - 1, open) : undefined;
}

function checkResults(turn: Turn, open: readonly string[], index: number): string | undefined {
  const answered = new Set<string>();
  let hasOther = false;
  for (const [at, block] of turn.blocks.entries()) {
    if (block.type !== "tool_result") {
      hasOther = true;
      continue;
    }
    const id = block.tool_use_id;
    if (hasOther && open.includes(id)) return missingResults(index - 1, [id]);
    if (answered.has(id))
      return `messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    if (!open.includes(id)) {
      return `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    answered.add(id);
  }
  const missing = open.filter((id) => !answered.has(id));
  return missing.length > 0 ? missingResults(index - 1, missing) : undefined;
}

function missingResults(index: number, ids: readonly string[]): string {
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function checkThinkingBlocks({ model, thinking }: MessagesRequest, turns: readonly Turn[]): string | undefined {
  for (const [index, turn] of turns.entries()) {
    for (const [at, block] of turn.blocks.entries()) {
      if (block.type !== "thinking") continue;
      const isForged =
        block.signature.startsWith(SIGNATURE_PREFIX) && block.signature !== signThinking(model, block.thinking);
      if (block.signature === "" || isForged) {
        return `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`;
      }
    }
  }
  if (thinking?.type !== "enabled") return undefined;
  const index = openToolLoop(turns);
  const first = index === undefined ? undefined : turns[index]?.blocks[0];
  if (first === undefined || first.type === "thinking" || first.type === "redacted_thinking") return undefined;
  return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}

/** The position of the first assistant turn of the run of tool calls that the last turn answers. */
function openToolLoop(turns: readonly Turn[]): number | undefined {
  let first: number | undefined;
  for (let index = turns.length - 1; index > 0; index -= 2) {
    if (turns[index]?.blocks.some((block) => block.type === "tool_result") !== true) break;
    if (turns[index - 1]?.role === "assistant") first = index - 1;
  }
  return first;
}

function invalid(message: string): ApiError {
  return { status: 400, type: "invalid_request_error", message };
}

function authentication(message: string): ApiError {
  return { status: 401, type: "authentication_error", message };
}
