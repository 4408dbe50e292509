import { MessageBuilder } from "../loop/message-builder.ts";
import type { Model, Usage } from "../protocol/model.ts";
import { type Provider, ProviderError, type ProviderRequest } from "../providers/provider.ts";

/** The model that gets a question outside the conversation. */
export interface AskedModel {
  provider: Provider;
  apiKey: string | undefined;
  model: Model;
  thinkingLevel: ProviderRequest["thinkingLevel"];
  /** The ID of the conversation that the request belongs to. */
  conversationId?: string | undefined;
}

/** A question that is complete in itself. */
interface Question {
  prompt: string;
  systemPrompt: string;
  maxTokens: number;
}

/** The text of an answer, which may be empty, and its cost. */
export interface Answer {
  text: string;
  usage: Usage;
}

/** Asks a model one question, without tools. @throws ProviderError; the reason of the signal once it is aborted. */
export async function askOnce(
  { prompt, systemPrompt, maxTokens }: Question,
  { provider, apiKey, model, thinkingLevel, conversationId }: AskedModel,
  signal: AbortSignal,
): Promise<Answer> {
  const builder = new MessageBuilder(model, thinkingLevel);
  const stream = provider.stream({
    model,
    systemPrompt,
    messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }],
    tools: [],
    thinkingLevel,
    apiKey,
    conversationId,
    maxTokens,
    signal,
  });
  for await (const events of stream) {
    for (const event of events) builder.apply(event);
    signal.throwIfAborted();
  }
  if (!builder.isComplete) {
    throw new ProviderError("network", "Lost the connection to the model during the response.");
  }
  const { content, usage } = builder.finished();
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text: text.trim(), usage };
}
