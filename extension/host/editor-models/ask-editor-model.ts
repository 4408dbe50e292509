import * as vscode from "vscode";
import * as z from "zod";
import type { CustomModelPart } from "../../../agent/client/custom-models.ts";
import type { HostModelRequest, HostModelUsage } from "../../../agent/protocol/host-models.ts";
import { t } from "../../../webview/l10n.ts";
import { describeFailure } from "./lm-failure.ts";
import { type LmInput, type LmMessage, type LmPart, toLmMessages } from "./lm-messages.ts";
import type { PromptCounter } from "./prompt-counter.ts";

/** Maximum time that the end of an answer waits for its token count, in milliseconds. */
const COUNT_LIMIT_MS = 2_000;

const Arguments = z.record(z.string(), z.unknown());

/**
 * Asks a model of the editor for one answer. The first time, the editor asks the user for permission.
 * @throws ModelFailed with a message for people.
 */
export async function* askEditorModel(
  model: vscode.LanguageModelChat,
  request: HostModelRequest,
  counter: PromptCounter,
  signal: AbortSignal,
): AsyncGenerator<CustomModelPart> {
  const source = new vscode.CancellationTokenSource();
  const { token } = source;
  const cancel = () => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const messages = toLmMessages(request);
    const response = await model.sendRequest(messages.map(toChatMessage), requestOptions(model, request), token);
    const input = counter.count(messages, (text) => model.countTokens(text, token));
    input.catch(() => {}); // handled below, unless the answer fails first
    let said = "";
    for await (const part of response.stream) {
      const read = readPart(part);
      if (read === undefined) continue;
      said += read.text;
      yield read.part;
    }
    const count = Promise.all([input, said === "" ? 0 : model.countTokens(said, token)]);
    yield { type: "end", usage: await usageOf(count) };
  } catch (error) {
    throw describeFailure(error, model.name);
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}

function requestOptions(
  model: vscode.LanguageModelChat,
  { tools }: HostModelRequest,
): vscode.LanguageModelChatRequestOptions {
  return {
    justification: t("You selected {0} as the model for your Tiller chats.", model.name),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
        }),
  };
}

function toChatMessage({ role, parts }: LmMessage): vscode.LanguageModelChatMessage {
  const content = parts.map(toChatPart);
  const name = undefined;
  return role === "user"
    ? { role: vscode.LanguageModelChatMessageRole.User, content, name }
    : { role: vscode.LanguageModelChatMessageRole.Assistant, content, name };
}

function toChatPart(part: LmPart) {
  switch (part.kind) {
    case "toolCall":
      return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
    case "toolResult":
      return new vscode.LanguageModelToolResultPart(part.callId, part.parts.map(toInputPart));
    default:
      return toInputPart(part);
  }
}

function toInputPart(part: LmInput) {
  if (part.kind === "text") return new vscode.LanguageModelTextPart(part.text);
  return vscode.LanguageModelDataPart.image(Buffer.from(part.data, "base64"), part.mimeType);
}

/** @returns undefined for parts of other kinds. */
function readPart(part: unknown): { part: CustomModelPart; text: string } | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { part: part.value, text: part.value };
  if (!(part instanceof vscode.LanguageModelToolCallPart)) return undefined;
  const { callId: id, name, input } = part;
  const given = Arguments.safeParse(input).data ?? {};
  return { part: { type: "toolCall", id, name, arguments: given }, text: `${name} ${JSON.stringify(given)}` };
}

/** Returns the token counts. Without them, the tokenizer being slow, failing or missing, the answer is still given. */
async function usageOf(count: Promise<[number, number]>): Promise<HostModelUsage | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, COUNT_LIMIT_MS, undefined);
  });
  const counted = await Promise.race([count.catch(() => undefined), late]);
  clearTimeout(timer);
  if (counted === undefined) return undefined;
  const [input, output] = counted.map((tokens) => Math.max(0, Math.round(tokens)));
  return input === undefined || output === undefined ? undefined : { input, output };
}
