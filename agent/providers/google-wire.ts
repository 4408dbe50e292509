import * as z from "zod";

/** An image or a PDF for the model, in base64. */
export interface InlineData {
  inlineData: { mimeType: string; data: string };
}

/** A part of a sent message. A signature belongs to the part that it arrived with. */
export type SentPart =
  | { text: string; thought?: true; thoughtSignature?: string }
  | InlineData
  | {
      functionCall: { id?: string; name: string; args: Record<string, unknown> };
      thoughtSignature?: string;
    }
  | {
      functionResponse: {
        id?: string;
        name: string;
        response: { output: string } | { error: string };
        parts?: InlineData[];
      };
    }
  | SearchPart;

/** The work of the service's search: a call, or its result. It goes back as it came. */
export const SearchPart = z.looseObject({ toolCall: z.unknown().optional(), toolResponse: z.unknown().optional() });
export type SearchPart = z.infer<typeof SearchPart>;

export interface SentContent {
  role: "user" | "model";
  parts: SentPart[];
}

interface FunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: unknown;
}

/** The amount of thinking: a level for Gemini 3 and later, a number of tokens for earlier models. */
export interface ThinkingConfig {
  includeThoughts?: true;
  thinkingLevel?: string;
  thinkingBudget?: number;
}

/**
 * The body of a request for a response.
 * @see https://ai.google.dev/api/generate-content
 */
export interface GenerateRequest {
  systemInstruction?: { parts: { text: string }[] };
  contents: SentContent[];
  tools?: ({ functionDeclarations: FunctionDeclaration[] } | { googleSearch: Record<string, never> })[];
  /** Without it, the service refuses its search beside functions. */
  toolConfig?: { includeServerSideToolInvocations: true };
  generationConfig?: { maxOutputTokens?: number; thinkingConfig?: ThinkingConfig };
}

const text = z.string().nullish().catch(undefined);
// An unexpected token count must not cost the user an answer.
const count = z.int().nonnegative().nullish().catch(undefined);

const Part = z.looseObject({
  text,
  thought: z.boolean().nullish().catch(undefined),
  thoughtSignature: text,
  functionCall: z.object({ id: text, name: z.string(), args: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});
export type Part = z.infer<typeof Part>;

const Source = z.object({ web: z.object({ uri: z.string(), title: text }).optional() });

const Candidate = z.object({
  groundingMetadata: z
    .object({ groundingChunks: z.array(Source).nullish() })
    .nullish()
    .catch(undefined),
  content: z.object({ parts: z.array(Part).nullish() }).nullish(),
  finishReason: text,
  finishMessage: text,
});
export type Candidate = z.infer<typeof Candidate>;

const Usage = z.object({
  promptTokenCount: count,
  cachedContentTokenCount: count,
  toolUsePromptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});
export type Usage = z.infer<typeof Usage>;

const PromptFeedback = z.object({ blockReason: text, blockReasonMessage: text });

/** One piece of a streamed response. */
export const Chunk = z.object({
  candidates: z.array(Candidate).nullish(),
  promptFeedback: PromptFeedback.nullish().catch(undefined),
  usageMetadata: Usage.nullish().catch(undefined),
  modelVersion: text,
  responseId: text,
});
export type Chunk = z.infer<typeof Chunk>;

const Detail = z.looseObject({
  reason: text,
  retryDelay: text,
  violations: z
    .array(z.looseObject({ quotaId: text }))
    .nullish()
    .catch(undefined),
});

/** A failure, as a response of its own or within a stream. */
export const GoogleError = z.object({
  error: z.object({
    message: z.string(),
    status: z.string().catch(""),
    details: z.array(Detail).nullish().catch(undefined),
  }),
});
export type GoogleError = z.infer<typeof GoogleError>;
