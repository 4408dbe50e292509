import { randomUUID } from "node:crypto";
import { t } from "../../webview/l10n.ts";
import type { ContextBlock } from "../../webview/protocol/context.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatStart } from "../chat/chat-session.ts";
import { runPrompt } from "../chat/run-prompt.ts";
import { joinPrompt } from "../core/mentions/prompt-blocks.ts";

/** No language model is set up. `command` sets one up. */
export class NoModel extends Error {
  readonly command = "tiller.setUpModel";

  constructor() {
    super(t("No model is set up. Set up a model, then try again."));
  }
}

/** A text that the model is asked to write. */
export interface QuietQuestion {
  /** The name of the prompt template. */
  readonly template: string;
  readonly args?: string;
  readonly blocks: readonly ContextBlock[];
  /** The folder of the agent; default the one that was chosen last. */
  readonly folder?: string | undefined;
  /** The chat whose model writes the text, if its agent runs. */
  readonly beside: Chat;
  /** Ends the run; `ask` then rejects with its reason. */
  readonly signal: AbortSignal;
}

/** Texts that the model writes outside of the chats. Each has an agent of its own without tools, which saves nothing and ends with the text. */
export class QuietRuns {
  readonly #create: (start: ChatStart) => Chat;
  readonly #chats = new Set<Chat>();

  constructor(create: (start: ChatStart) => Chat) {
    this.#create = create;
  }

  /** The chats that are at work. */
  get chats(): readonly Chat[] {
    return [...this.#chats];
  }

  /** Returns the answer of the model. @throws NoModel without a language model; otherwise Error with a text for people. */
  async ask(question: QuietQuestion): Promise<string> {
    const { folder, signal } = question;
    signal.throwIfAborted();
    const chat = this.#create({ key: randomUUID(), isTemporary: true, isQuiet: true, folder });
    this.#chats.add(chat);
    const stop = () => void chat.dispose();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await answer(chat, question);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      await chat.dispose();
      this.#chats.delete(chat);
    }
  }

  /** Stops all runs; resolves when their processes have exited. */
  async dispose(): Promise<void> {
    await Promise.all(this.chats.map((chat) => chat.dispose()));
  }
}

async function answer(chat: Chat, { template, args = "", blocks, beside }: QuietQuestion): Promise<string> {
  await useModel(chat, beside);
  const { commands } = await chat.request("get_commands", {});
  if (!commands.some(({ name }) => name === template)) {
    throw new Error(t('The agent has no prompt template "{0}". Add one, or use the bundled agent.', template));
  }
  const { text, answer: last, aborted } = await runPrompt(chat, joinPrompt(blocks, `/${template} ${args}`.trim()));
  if (aborted) throw new Error(t("The agent stopped before it finished."));
  if (last?.stopReason === "error") {
    throw new Error(last.errorMessage ?? t("The model failed without giving a reason."));
  }
  if (text.trim() === "") throw new Error(t("The model's answer was empty. Try again."));
  return text;
}

/** Selects the model of another chat. @throws NoModel when neither has a language model. */
async function useModel(chat: Chat, beside: Chat): Promise<void> {
  const wanted = beside.agent.client === undefined ? undefined : await modelOf(beside);
  if (wanted !== undefined) {
    await chat.request("set_model", { provider: wanted.provider, modelId: wanted.id });
  } else if ((await modelOf(chat)) === undefined) throw new NoModel();
}

/** Returns the model of a chat; undefined for the demo, which is no language model. */
async function modelOf(chat: Chat) {
  const { model } = await chat.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
  return model === null || model.provider === "demo" ? undefined : model;
}
