import { encrypted } from "./responses-rules.ts";

/** One item of a scripted response. Texts come in two pieces. */
export type ScriptedItem =
  | { kind: "reasoning"; id: string; summary: readonly string[] }
  | { kind: "text"; id: string; text: string; phase?: string; cites?: readonly { url: string; title: string }[] }
  | { kind: "search"; id: string; action: object; status?: "completed" | "failed" }
  | { kind: "refusal"; id: string; text: string }
  | { kind: "call"; id: string; callId: string; name: string; args: object };

interface End {
  status?: "completed" | "incomplete" | "failed";
  reason?: "max_output_tokens" | "content_filter";
  error?: { code: string; message: string };
  usage?: { input: number; output: number; cached?: number; reasoning?: number };
}

type Event = { type: string } & Record<string, unknown>;

/** All events of one response, as the API reference documents them; the server adds their numbers. */
export function responseEvents(items: readonly ScriptedItem[], end: End = {}): Event[] {
  const begun = { response: response("in_progress", {}, []) };
  const output = items.map((item) => wholeItem(item, "completed"));
  const status = end.status ?? "completed";
  return [
    { type: "response.created", ...begun },
    { type: "response.in_progress", ...begun },
    ...items.flatMap(itemEvents),
    { type: `response.${status}`, response: response(status, end, output) },
  ];
}

function response(status: string, { reason, error, usage }: End, output: readonly object[]) {
  const { input = 7, output: written = 3, cached = 0, reasoning = 0 } = usage ?? {};
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_764_000_000,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: "served-2026",
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: "low", summary: "detailed" },
    store: false,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage:
      status === "in_progress" || status === "failed"
        ? null
        : {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: written,
            output_tokens_details: { reasoning_tokens: reasoning },
            total_tokens: input + written,
          },
    user: null,
  };
}

function wholeItem(item: ScriptedItem, status: "in_progress" | "completed") {
  const isWhole = status === "completed";
  const { id } = item;
  switch (item.kind) {
    case "reasoning": {
      const summary = item.summary.map((text) => ({ type: "summary_text", text }));
      return { id, type: "reasoning", summary: isWhole ? summary : [], encrypted_content: encrypted(id) };
    }
    case "search":
      return {
        id,
        type: "web_search_call",
        status: isWhole ? (item.status ?? status) : status,
        ...(isWhole ? { action: item.action } : {}),
      };
    case "call": {
      const { callId, name, args } = item;
      return {
        id,
        type: "function_call",
        status,
        call_id: callId,
        name,
        arguments: isWhole ? JSON.stringify(args) : "",
      };
    }
    default: {
      const phase = "phase" in item ? { phase: item.phase } : {};
      return {
        id,
        type: "message",
        role: "assistant",
        status,
        content: isWhole ? [partOf(item, item.text, "cites" in item ? item.cites : [])] : [],
        ...phase,
      };
    }
  }
}

function partOf(
  { kind }: { kind: "text" | "refusal" },
  text: string,
  cites: readonly { url: string; title: string }[] = [],
) {
  if (kind === "refusal") return { type: "refusal", refusal: text };
  const annotations = cites.map((cite) => ({ type: "url_citation", start_index: 0, end_index: 2, ...cite }));
  return { type: "output_text", annotations, logprobs: [], text };
}

function itemEvents(item: ScriptedItem, index: number): Event[] {
  return [
    { type: "response.output_item.added", output_index: index, item: wholeItem(item, "in_progress") },
    ...innerEvents(item, { item_id: item.id, output_index: index }),
    { type: "response.output_item.done", output_index: index, item: wholeItem(item, "completed") },
  ];
}

function innerEvents(item: ScriptedItem, place: { item_id: string; output_index: number }): Event[] {
  if (item.kind === "reasoning")
    return item.summary.flatMap((text, at) => summaryEvents(text, { ...place, summary_index: at }));
  if (item.kind === "search") {
    return ["in_progress", "searching", "completed"].map((step) => ({
      type: `response.web_search_call.${step}`,
      ...place,
    }));
  }
  if (item.kind === "call") {
    const json = JSON.stringify(item.args);
    const type = "response.function_call_arguments";
    return [
      ...halves(json).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
      { type: `${type}.done`, ...place, name: item.name, arguments: json },
    ];
  }
  const type = item.kind === "refusal" ? "response.refusal" : "response.output_text";
  const at = { ...place, content_index: 0 };
  const whole = item.kind === "refusal" ? { refusal: item.text } : { text: item.text, logprobs: [] };
  return [
    { type: "response.content_part.added", ...at, part: partOf(item, "") },
    ...halves(item.text).map((delta) => ({ type: `${type}.delta`, ...at, delta, logprobs: [] })),
    { type: `${type}.done`, ...at, ...whole },
    { type: "response.content_part.done", ...at, part: partOf(item, item.text) },
  ];
}

function summaryEvents(text: string, place: object): Event[] {
  const type = "response.reasoning_summary";
  return [
    { type: `${type}_part.added`, ...place, part: { type: "summary_text", text: "" } },
    ...halves(text).map((delta) => ({ type: `${type}_text.delta`, ...place, delta })),
    { type: `${type}_text.done`, ...place, text },
    { type: `${type}_part.done`, ...place, part: { type: "summary_text", text } },
  ];
}

function halves(text: string): string[] {
  const characters = Array.from(text);
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")].filter((half) => half !== "");
}
