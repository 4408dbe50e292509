import * as z from "zod";

const Name = z.string().regex(/^[\w-]{1,64}$/);
const CallId = z.string().min(1).max(64);
const InputText = z.strictObject({ type: z.literal("input_text"), text: z.string().min(1) });
const InputImage = z.strictObject({
  type: z.literal("input_image"),
  detail: z.enum(["auto", "low", "high"]),
  image_url: z.string().startsWith("data:image/"),
});
const Input = z.array(z.discriminatedUnion("type", [InputText, InputImage])).min(1);

const Item = z.union([
  z.strictObject({ role: z.literal("user"), content: Input }),
  z.strictObject({ role: z.literal("assistant"), content: z.string().min(1) }),
  z.strictObject({
    type: z.literal("message"),
    role: z.literal("assistant"),
    id: z.string().startsWith("msg_"),
    phase: z.enum(["commentary", "final_answer"]).optional(),
    status: z.literal("completed"),
    content: z
      .array(z.strictObject({ type: z.literal("output_text"), text: z.string(), annotations: z.array(z.never()) }))
      .min(1),
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().startsWith("rs_"),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string(),
  }),
  z.strictObject({
    type: z.literal("web_search_call"),
    id: z.string().startsWith("ws_"),
    status: z.enum(["completed", "failed"]),
    action: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("search"), query: z.string(), queries: z.array(z.string()).optional() }),
      z.strictObject({ type: z.literal("open_page"), url: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    id: z.string().startsWith("fc_").optional(),
    call_id: CallId,
    name: Name,
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    call_id: CallId,
    output: z.union([z.string(), Input]),
  }),
]);
type Item = z.infer<typeof Item>;

/** A request for a response, as strict as the service is about unknown fields. */
export const ResponsesBody = z.strictObject({
  model: z.string(),
  instructions: z.string().optional(),
  input: z.array(Item).min(1),
  stream: z.literal(true),
  store: z.literal(false),
  tools: z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({
          type: z.literal("function"),
          name: Name,
          description: z.string(),
          parameters: z.looseObject({ type: z.literal("object") }),
          strict: z.literal(false),
        }),
        z.strictObject({ type: z.literal("web_search") }),
      ]),
    )
    .optional(),
  include: z.tuple([z.literal("reasoning.encrypted_content")]).optional(),
  reasoning: z.strictObject({ effort: z.string().optional(), summary: z.literal("auto").optional() }).optional(),
  max_output_tokens: z.int().min(16).optional(),
  prompt_cache_key: z.string().max(64).optional(),
  /** Fields that a handler of requests may add. */
  seed: z.int().optional(),
});
export type ResponsesBody = z.infer<typeof ResponsesBody>;

/** The content that this service encrypts a thought to. */
export function encrypted(reasoningId: string): string {
  return `encrypted:${reasoningId}`;
}

/** Why the service does not take its search, or what it found, in this request. */
export function whatIsWrongWithSearch({ input, tools = [], reasoning }: ResponsesBody): string | undefined {
  const isDeclared = tools.some(({ type }) => type === "web_search");
  if (isDeclared && reasoning?.effort === "minimal") {
    return "The following tools cannot be used with reasoning.effort 'minimal': web_search.";
  }
  const searched = input.find((item) => "type" in item && item.type === "web_search_call");
  return searched === undefined || isDeclared ? undefined : "web_search_call items need the tool web_search.";
}

/** Why the service does not take these items. @param thoughtBefore the thoughts that items of earlier responses followed, by the items' ids. */
export function whatIsWrong(input: readonly Item[], thoughtBefore: ReadonlyMap<string, string>): string | undefined {
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    if (!("type" in item)) {
      if (item.role === "user" && open.size > 0) return `No tool output found for function call ${[...open][0]}.`;
      continue;
    }
    if (item.type === "function_call") open.add(item.call_id);
    if (item.type === "function_call_output" && !open.delete(item.call_id)) {
      return `No tool call found for function call output with call_id ${item.call_id}.`;
    }
    const problem =
      item.type === "reasoning" ? wrongThought(item, input[at + 1]) : lacksThought(item, input, thoughtBefore);
    if (problem !== undefined) return problem;
  }
  return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : undefined;
}

function wrongThought(
  { id, encrypted_content: content }: Extract<Item, { type: "reasoning" }>,
  next: Item | undefined,
): string | undefined {
  if (content !== encrypted(id)) return `The encrypted content for item ${id} could not be verified.`;
  const isFollowed =
    next !== undefined && "type" in next && next.type !== "function_call_output" && next.id !== undefined;
  return isFollowed ? undefined : `Item '${id}' of type 'reasoning' was provided without its required following item.`;
}

function lacksThought(
  item: Exclude<Extract<Item, { type: string }>, { type: "reasoning" }>,
  input: readonly Item[],
  thoughtBefore: ReadonlyMap<string, string>,
): string | undefined {
  const id = "id" in item ? item.id : undefined;
  const thought = id === undefined ? undefined : thoughtBefore.get(id);
  if (thought === undefined || input.some((one) => "type" in one && one.type === "reasoning" && one.id === thought)) {
    return undefined;
  }
  return `Item '${id}' of type '${item.type}' was provided without its required 'reasoning' item: '${thought}'.`;
}
