import * as z from "zod";

/** Text or an image that the model is shown. `image_url` is a `data:` address. */
export type InputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "auto"; image_url: string };

const text = z.string().nullish().catch(undefined);
const Annotation = z.looseObject({ url: text, title: text });
const Part = z.looseObject({
  type: z.string(),
  text,
  refusal: text,
  annotations: z.array(Annotation).nullish().catch(undefined),
});

/** Thinking of a model. A service that stores nothing accepts it back only with its encrypted content. */
export const ReasoningItem = z.object({
  type: z.literal("reasoning"),
  id: z.string(),
  summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
  encrypted_content: z.string().min(1),
});
export type ReasoningItem = z.infer<typeof ReasoningItem>;

/** A search of the web that the service made. It goes back as it came. */
export const SearchCall = z.looseObject({
  type: z.literal("web_search_call"),
  id: z.string(),
  status: z.string(),
  action: z.looseObject({ type: z.string(), query: z.string().optional(), url: z.string().nullish() }).optional(),
});
export type SearchCall = z.infer<typeof SearchCall>;

/** The part of a message that is needed besides its text to send it back: its own id, and the phase of the work that it belongs to. */
export const MessageMark = z.object({ id: z.string(), phase: z.string().optional() });
type MessageMark = z.infer<typeof MessageMark>;

/** A message of the model as it was. */
interface OwnMessage extends MessageMark {
  type: "message";
  role: "assistant";
  status: "completed";
  content: { type: "output_text"; text: string; annotations: [] }[];
}

/** An item of the conversation as it is sent. */
export type SentItem =
  | { role: "user"; content: InputPart[] }
  | { role: "assistant"; content: string }
  | OwnMessage
  | ReasoningItem
  | SearchCall
  | { type: "function_call"; id?: string; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | InputPart[] };

export type ResponsesTool =
  | { type: "function"; name: string; description: string; parameters: Record<string, unknown>; strict: false }
  | { type: "web_search" };

/** The body of a request for a response; source: the OpenAI API reference, "Create a model response". */
export interface ResponsesRequest {
  model: string;
  instructions?: string;
  input: SentItem[];
  stream: true;
  store: false;
  tools?: ResponsesTool[];
  include?: ["reasoning.encrypted_content"];
  reasoning?: { effort?: string; summary?: "auto" };
  max_output_tokens?: number;
  prompt_cache_key?: string;
}

// No answer is lost because its tokens are counted in a strange way.
const count = z.int().nonnegative().nullish().catch(undefined);

const ResponsesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count }).nullish().catch(undefined),
  output_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(undefined),
});
export type ResponsesUsage = z.infer<typeof ResponsesUsage>;

const Failure = z.object({ code: text, message: text });

const Response = z.object({
  id: text,
  model: text,
  usage: ResponsesUsage.nullish().catch(undefined),
  error: Failure.nullish().catch(undefined),
  incomplete_details: z.object({ reason: text }).nullish().catch(undefined),
});
export type Response = z.infer<typeof Response>;

const Item = z.looseObject({
  type: z.string(),
  id: text,
  call_id: text,
  name: text,
  arguments: text,
  phase: text,
  content: z.array(Part).nullish().catch(undefined),
  summary: z.array(Part).nullish().catch(undefined),
});
export type Item = z.infer<typeof Item>;

const place = z.int().nonnegative();
const delta = <Type extends string>(type: Type) =>
  z.object({ type: z.literal(type), output_index: place, delta: z.string() });
const state = <Type extends string>(type: Type) => z.object({ type: z.literal(type), response: Response });
const item = <Type extends string>(type: Type) => z.object({ type: z.literal(type), output_index: place, item: Item });

/** The events that matter here. */
const KnownEvent = z.discriminatedUnion("type", [
  state("response.created"),
  state("response.completed"),
  state("response.incomplete"),
  state("response.failed"),
  item("response.output_item.added"),
  item("response.output_item.done"),
  delta("response.output_text.delta"),
  delta("response.refusal.delta"),
  delta("response.reasoning_text.delta"),
  delta("response.reasoning_summary_text.delta"),
  delta("response.function_call_arguments.delta"),
  z.object({
    type: z.literal("response.reasoning_summary_part.added"),
    output_index: place,
    summary_index: place,
  }),
]);
export type ResponsesEvent = z.infer<typeof KnownEvent>;

const KNOWN: ReadonlySet<string> = new Set(KnownEvent.options.map((option) => option.shape.type.value));

const AnyEvent = z.object({ type: z.string().optional() });

/**
 * Reads one event; undefined when it is none of those that matter here, since new ones are added to the API at any time.
 * @throws ZodError when it has a wrong shape.
 */
export function readEvent(json: unknown): ResponsesEvent | undefined {
  return KNOWN.has(AnyEvent.parse(json).type ?? "") ? KnownEvent.parse(json) : undefined;
}

/** A failure within a stream: as documented, or with `error` around it. */
export const ErrorEvent = z
  .object({
    type: z.literal("error"),
    code: text,
    message: text,
    error: Failure.extend({ type: text }).nullish().catch(undefined),
  })
  .transform(({ error, code, message }) => ({
    type: error?.code || error?.type || code || "",
    message: error?.message || message || "its server does not say which.",
  }));
