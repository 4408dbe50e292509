import * as z from "zod";

const Name = z.string().regex(/^[A-Za-z_][\w.:-]{0,63}$/);
const Signature = z
  .string()
  .regex(/^[\w+/=-]+$/)
  .optional();
const InlineData = z.strictObject({
  inlineData: z.strictObject({
    mimeType: z.enum(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf"]),
    data: z.base64().min(1),
  }),
});

const toolType = z.literal("GOOGLE_SEARCH_WEB");
const ToolCall = z.strictObject({
  toolCall: z.strictObject({ id: z.string(), toolType, args: z.strictObject({ queries: z.array(z.string()) }) }),
  thoughtSignature: Signature,
});
const ToolResponse = z.strictObject({
  toolResponse: z.strictObject({ id: z.string(), toolType, response: z.record(z.string(), z.unknown()) }),
  thoughtSignature: Signature,
});

const Part = z.union([
  ToolCall,
  ToolResponse,
  z.strictObject({ text: z.string(), thought: z.literal(true).optional(), thoughtSignature: Signature }),
  InlineData,
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name: Name, args: z.record(z.string(), z.unknown()) }),
    thoughtSignature: Signature,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: Name,
      response: z.union([z.strictObject({ output: z.string() }), z.strictObject({ error: z.string() })]),
      parts: z.array(InlineData).min(1).optional(),
    }),
  }),
]);
type Part = z.infer<typeof Part>;

const Content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) });
type Content = z.infer<typeof Content>;

/** A request for a response, as strict as the service is about unknown fields. */
export const GeminiBody = z.strictObject({
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).length(1) })
    .optional(),
  contents: z.array(Content).min(1),
  tools: z
    .array(
      z.union([
        z.strictObject({ googleSearch: z.strictObject({}) }),
        z.strictObject({
          functionDeclarations: z
            .array(
              z.strictObject({
                name: Name,
                description: z.string(),
                parametersJsonSchema: z.looseObject({ type: z.literal("object") }),
              }),
            )
            .min(1),
        }),
      ]),
    )
    .min(1)
    .optional(),
  toolConfig: z.strictObject({ includeServerSideToolInvocations: z.literal(true) }).optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().min(1).optional(),
      /** A field that a handler of requests may add. */
      seed: z.int().optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.literal(true).optional(),
          thinkingLevel: z.enum(["MINIMAL", "LOW", "MEDIUM", "HIGH"]).optional(),
          thinkingBudget: z.int().min(-1).optional(),
        })
        .refine(({ thinkingLevel, thinkingBudget }) => thinkingLevel === undefined || thinkingBudget === undefined)
        .optional(),
    })
    .optional(),
});
export type GeminiBody = z.infer<typeof GeminiBody>;

/** The signatures that were given out, each with the part that carried it. */
export type GivenSignatures = ReadonlyMap<string, string>;

const SKIP = "skip_thought_signature_validator";

/** True for the models that insist on signatures. */
function insists(model: string): boolean {
  return !/gemini-[12]\b|gemma/.test(model);
}

/** Names a part apart from its signature. */
export function nameOfPart(part: unknown): string {
  const { text, thought, functionCall, toolCall, toolResponse } = z
    .looseObject({
      toolCall: z.unknown().optional(),
      toolResponse: z.unknown().optional(),
      text: z.string().optional(),
      thought: z.boolean().optional(),
      functionCall: z.looseObject({ name: z.string(), args: z.unknown() }).optional(),
    })
    .parse(part);
  return JSON.stringify([
    text,
    thought === true,
    functionCall?.name,
    functionCall && (functionCall.args ?? {}),
    toolCall ?? toolResponse,
  ]);
}

/** Returns the reason why the service refuses these contents. */
export function whatIsWrong(body: GeminiBody, model: string, given: GivenSignatures): string | undefined {
  const { contents, generationConfig } = body;
  if (generationConfig?.thinkingConfig?.thinkingLevel !== undefined && /gemini-2/.test(model)) {
    return "Thinking level is not supported for this model.";
  }
  if (contents[0]?.role !== "user") return "Please ensure that multiturn requests begin with a user turn.";
  if (contents.at(-1)?.role !== "user") return "Please ensure that multiturn requests end with a user turn.";
  for (const [at, content] of contents.entries()) {
    const problem = wrongTurn(content, contents[at - 1], contents[at + 1]) ?? wrongParts(content, model, given, at);
    if (problem !== undefined) return problem;
  }
  return wrongSearch(body, model);
}

/** Why the service does not search, or does not take its searches back. */
function wrongSearch({ contents, tools = [], toolConfig }: GeminiBody, model: string): string | undefined {
  const isDeclared = tools.some((tool) => "googleSearch" in tool);
  const isMixed = isDeclared && tools.length > 1;
  if (isMixed && !insists(model)) return "Tool use with function calling is unsupported by the model.";
  if (isMixed && toolConfig === undefined) {
    return "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
  }
  for (const { parts } of contents) {
    const open = new Set<string>();
    for (const part of parts) {
      if (("toolCall" in part || "toolResponse" in part) && !isDeclared)
        return "The tool of this part is not declared.";
      if ("toolCall" in part) open.add(part.toolCall.id);
      if ("toolResponse" in part && !open.delete(part.toolResponse.id)) return "A tool response has no tool call.";
    }
    if (open.size > 0) return "A tool call has no tool response.";
  }
  return undefined;
}

function wrongTurn(content: Content, before: Content | undefined, after: Content | undefined): string | undefined {
  if (content.role === "model" && before?.role === "model")
    return "Please ensure that turns of the model do not follow each other.";
  if (content.role === "user") {
    if (callsOf(content).length > 0) return "Function calls belong to turns of the model.";
    return responsesOf(content).length > 0 && callsOf(before).length === 0
      ? "Please ensure that function response turn comes immediately after a function call turn."
      : undefined;
  }
  const [calls, responses] = [callsOf(content), responsesOf(after)];
  if (calls.length === 0) return undefined;
  if (responses.length !== calls.length || after?.parts.length !== calls.length) {
    return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  const isMatch = calls.every((call, at) => {
    const answer = call.id === undefined ? responses[at] : responses.find(({ id }) => id === call.id);
    return answer?.name === call.name;
  });
  return isMatch ? undefined : "A function response has no function call.";
}

function wrongParts({ role, parts }: Content, model: string, given: GivenSignatures, at: number): string | undefined {
  const first = parts.find((part) => "functionCall" in part);
  if (insists(model) && first !== undefined && first.thoughtSignature === undefined) {
    return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call \`${first.functionCall.name}\`, position ${at + 1}.`;
  }
  for (const part of parts) {
    const problem = wrongPart(part, model, given);
    if (problem !== undefined) return problem;
  }
  return role === "model" && parts.some((part) => "inlineData" in part) ? "The model gives no files." : undefined;
}

function wrongPart(part: Part, model: string, given: GivenSignatures): string | undefined {
  if ("functionResponse" in part) {
    return part.functionResponse.parts !== undefined && !insists(model)
      ? "Multimodal function responses are not supported for this model."
      : undefined;
  }
  if ("inlineData" in part) return undefined;
  const { thoughtSignature: signature } = part;
  if (signature === undefined) {
    return "text" in part && part.text === ""
      ? "Unable to submit request because it must have a text parameter."
      : undefined;
  }
  if (signature === SKIP && "functionCall" in part) return undefined;
  return given.get(signature) === nameOfPart(part) ? undefined : "Thought signature is not valid.";
}

function callsOf(content: Content | undefined) {
  return (content?.parts ?? []).flatMap((part) => ("functionCall" in part ? [part.functionCall] : []));
}

function responsesOf(content: Content | undefined) {
  return (content?.parts ?? []).flatMap((part) => ("functionResponse" in part ? [part.functionResponse] : []));
}
