/** A part of a scripted response, as the service sends it. */
export type ScriptedPart =
  | { text: string; thought?: true; thoughtSignature?: string }
  | { toolCall: object; thoughtSignature?: string }
  | { toolResponse: object; thoughtSignature?: string }
  | { functionCall: { id?: string; name: string; args?: object }; thoughtSignature?: string };

interface End {
  finish?: string | null;
  message?: string;
  usage?: { prompt: number; output: number; cached?: number; thoughts?: number };
  /** The pages that the response rests on. */
  pages?: readonly { uri: string; title: string }[];
}

/** A signature as the service writes it. */
export function signature(name: string): string {
  return Buffer.from(`signature ${name}`).toString("base64");
}

/** The pieces of one streamed response. Texts come in two of them; a signature comes with the last one. */
export function geminiEvents(parts: readonly ScriptedPart[], end: End = {}): object[] {
  const { finish = "STOP", message, usage, pages } = end;
  const grounding = pages && { groundingMetadata: { groundingChunks: pages.map((web) => ({ web })) } };
  const pieces = parts.flatMap(piecesOf);
  const last = pieces.at(-1) ?? { text: "" };
  return [
    ...pieces.slice(0, -1).map((part) => chunk([part], {})),
    chunk(
      [last],
      finish === null ? {} : { finishReason: finish, ...(message && { finishMessage: message }), ...grounding },
      usage,
    ),
  ];
}

/** A message that was blocked before the model saw it. */
export function blocked(blockReason: string): object {
  return { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 } };
}

function chunk(parts: readonly object[], fields: object, usage: End["usage"] = { prompt: 7, output: 3 }): object {
  const { prompt, output, cached, thoughts } = usage;
  return {
    candidates: [{ content: { parts, role: "model" }, ...fields, index: 0 }],
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: output,
      totalTokenCount: prompt + output + (thoughts ?? 0),
      ...(cached && { cachedContentTokenCount: cached }),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      ...(thoughts && { thoughtsTokenCount: thoughts }),
    },
    modelVersion: "served-2026",
    responseId: "resp_1",
  };
}

function piecesOf(part: ScriptedPart): ScriptedPart[] {
  if (!("text" in part)) return [part];
  const characters = Array.from(part.text);
  const middle = Math.ceil(characters.length / 2);
  const [first, second] = [characters.slice(0, middle).join(""), characters.slice(middle).join("")];
  if (second === "") return [part];
  const { thoughtSignature, ...plain } = part;
  return [
    { ...plain, text: first },
    { ...part, text: second },
  ];
}
