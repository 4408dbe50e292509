import type { InputContent, TextContent, ToolCall } from "../protocol/content.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../protocol/messages.ts";
import { isPdf } from "../util/pdf.ts";
import { CallIds, plainIds } from "./call-ids.ts";
import { withoutConstants } from "./google-schema.ts";
import { searchParts } from "./google-search.ts";
import { isEarlierModel, thinkingConfig } from "./google-settings.ts";
import { partsOf, readSignatures } from "./google-signatures.ts";
import type { GenerateRequest, InlineData, SentContent, SentPart } from "./google-wire.ts";
import { IMAGE_OMITTED } from "./prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "./provider.ts";
import { declaresServerTool } from "./server-tools.ts";
import type { ToolNames } from "./tool-names.ts";
import { wellFormed } from "./well-formed.ts";

const NO_OUTPUT = "(no output)";
const SEE_IMAGE = "(see the attached file)";
const FILES_OF_TOOL = "Files from the tool:";
const EARLIER_OMITTED = "(Earlier messages are left out.)";
const GO_ON = "Continue.";
const MAX_ID_LENGTH = 64;
/** Google's placeholder for the signature of another model's call. @see https://ai.google.dev/gemini-api/docs/thought-signatures */
const UNSIGNED = "skip_thought_signature_validator";

/** The body of the request for one reply. `names` gives the tools' names on the wire. */
export function toGenerateRequest(request: ProviderRequest, names: ToolNames): GenerateRequest {
  const { model, maxTokens, tools, systemPrompt } = request;
  const thinking = thinkingConfig(request);
  const config = {
    // By default, the model's own limit applies.
    ...(maxTokens === undefined ? {} : { maxOutputTokens: Math.min(maxTokens, model.maxTokens) }),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  };
  return {
    ...(systemPrompt.trim() === "" ? {} : { systemInstruction: { parts: [{ text: wellFormed(systemPrompt) }] } }),
    contents: new Contents(request, names).all(),
    ...toTools(tools, names),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
  };
}

function toTools(tools: readonly ToolSpec[], names: ToolNames): Pick<GenerateRequest, "tools" | "toolConfig"> {
  const own = tools.filter(({ serverTool }) => serverTool === undefined);
  const functions = own.length === 0 ? [] : [{ functionDeclarations: own.map((tool) => toDeclaration(tool, names)) }];
  if (declaresServerTool({ tools }, "search")) {
    return { tools: [...functions, { googleSearch: {} }], toolConfig: { includeServerSideToolInvocations: true } };
  }
  return functions.length === 0 ? {} : { tools: functions };
}

function toDeclaration({ name, description, parameters }: ToolSpec, names: ToolNames) {
  return { name: names.toWire(name), description, parametersJsonSchema: withoutConstants(parameters) };
}

/** Builds the conversation that is sent. The results of a model's turn form one turn directly after it. */
class Contents {
  readonly #request: ProviderRequest;
  readonly #names: ToolNames;
  readonly #isEarlier: boolean;
  readonly #ids = new CallIds(plainIds(MAX_ID_LENGTH));
  /** The names of calls by their IDs, because a result must repeat the name of its call. */
  readonly #called = new Map<string, string>();
  readonly #contents: SentContent[] = [];
  #results: SentPart[] = [];
  /** Files from results, for models that accept none in results. */
  #files: InlineData[] = [];

  constructor(request: ProviderRequest, names: ToolNames) {
    this.#request = request;
    this.#names = names;
    this.#isEarlier = isEarlierModel(request.model.id);
  }

  /** Returns a conversation that begins and ends with the user. */
  all(): SentContent[] {
    for (const message of this.#request.messages) {
      if (message.role === "toolResult") this.#addResult(message);
      else this.#endResults();
      if (message.role === "assistant") this.#addAnswer(message);
      else if (message.role === "user") this.#addUser(message);
    }
    this.#endResults();
    if (this.#contents[0]?.role === "model") this.#contents.unshift(userText(EARLIER_OMITTED));
    if (this.#contents.at(-1)?.role !== "user") this.#contents.push(userText(GO_ON));
    return this.#contents;
  }

  #addUser({ content }: UserMessage): void {
    const parts = this.#toParts(typeof content === "string" ? [{ type: "text", text: content }] : content);
    if (parts.length > 0) this.#contents.push({ role: "user", parts });
  }

  #addAnswer({ content }: AssistantMessage): void {
    const parts = content.flatMap((block): SentPart[] => {
      if (block.type === "toolCall") return this.#toCall(block);
      if (block.type === "text" && block.note !== undefined) return this.#toSearch(block);
      if (block.type === "text") return toSaid(block.text, block.textSignature);
      return toThought(block.thinking, block.thinkingSignature);
    });
    if (!this.#isEarlier) signFirstCall(parts);
    const last = this.#contents.at(-1);
    if (last?.role === "model") last.parts.push(...parts);
    else if (parts.length > 0) this.#contents.push({ role: "model", parts });
  }

  #toSearch({ textSignature }: TextContent): SentPart[] {
    return declaresServerTool(this.#request, "search") ? searchParts(textSignature) : [];
  }

  #toCall({ id, name, arguments: args, thoughtSignature }: ToolCall): SentPart[] {
    const { signed, behind } = readSignatures(thoughtSignature, 0);
    const wireName = this.#names.toWire(name);
    const wireId = this.#ids.ofCall(id);
    this.#called.set(id, wireName);
    const functionCall = { ...(this.#isEarlier ? {} : { id: wireId }), name: wireName, args };
    const signature = signed[0]?.[2];
    return [
      signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature },
      ...behind.map(emptyText),
    ];
  }

  #addResult({ toolCallId, toolName, content, isError }: ToolResultMessage): void {
    const parts = this.#toParts(content);
    const files = parts.filter((part) => "inlineData" in part);
    const text = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
    const output = text || (files.length > 0 ? SEE_IMAGE : NO_OUTPUT);
    const inResult = files.length > 0 && !this.#isEarlier;
    if (!inResult) this.#files.push(...files);
    this.#results.push({
      functionResponse: {
        ...(this.#isEarlier ? {} : { id: this.#ids.ofResult(toolCallId) }),
        name: this.#called.get(toolCallId) ?? this.#names.toWire(toolName),
        response: isError ? { error: output } : { output },
        ...(inResult ? { parts: files } : {}),
      },
    });
  }

  #endResults(): void {
    if (this.#results.length > 0) this.#contents.push({ role: "user", parts: this.#results });
    if (this.#files.length > 0) this.#contents.push({ role: "user", parts: [{ text: FILES_OF_TOOL }, ...this.#files] });
    this.#results = [];
    this.#files = [];
  }

  #toParts(content: readonly InputContent[]): ({ text: string } | InlineData)[] {
    const seesImages = this.#request.model.input.includes("image");
    return content.flatMap((block): ({ text: string } | InlineData)[] => {
      if (block.type === "text") return block.text.trim() === "" ? [] : [{ text: wellFormed(block.text) }];
      if (!seesImages) return [{ text: IMAGE_OMITTED }];
      if (!isPdf(block) && !IMAGE_TYPES.has(block.mimeType))
        return [{ text: `[image omitted: ${block.mimeType} is not supported]` }];
      return [{ inlineData: { mimeType: block.mimeType, data: block.data } }];
    });
  }
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);

function userText(text: string): SentContent {
  return { role: "user", parts: [{ text }] };
}

function emptyText(thoughtSignature: string): SentPart {
  return { text: "", thoughtSignature };
}

function toSaid(text: string, stored: string | undefined): SentPart[] {
  const signatures = readSignatures(stored, text.length);
  return [...partsOf(text, signatures).map(toTextPart), ...signatures.behind.map(emptyText)];
}

/** Returns the signed parts of the model's thinking. The model ignores unsigned ones. */
function toThought(thinking: string, stored: string | undefined): SentPart[] {
  const signatures = readSignatures(stored, thinking.length);
  const signed = partsOf(thinking, signatures).filter(({ signature }) => signature !== undefined);
  return [
    ...signed.map((part): SentPart => ({ ...toTextPart(part), thought: true })),
    ...signatures.behind.map(emptyText),
  ];
}

function toTextPart({ text, signature }: { text: string; signature: string | undefined }) {
  return { text: wellFormed(text), ...(signature === undefined ? {} : { thoughtSignature: signature }) };
}

/** Adds the placeholder to the first call of a turn, which must have a signature even if another model made the call. */
function signFirstCall(parts: SentPart[]): void {
  const at = parts.findIndex((part) => "functionCall" in part);
  const first = parts[at];
  if (first !== undefined && "functionCall" in first) parts[at] = { thoughtSignature: UNSIGNED, ...first };
}
