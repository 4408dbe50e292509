import { changeBlocks, imagesOf } from "../images/message-images.ts";
import type { ImageContent, TextContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import { ProviderError } from "../providers/provider.ts";
import { smallerShare } from "../util/long-messages.ts";
import { isPdf } from "../util/pdf.ts";

const IMAGE_NOTE: TextContent = { type: "text", text: "[Image left out: the model's provider refused it.]" };
const PDF_NOTE: TextContent = { type: "text", text: "[PDF left out: the model's provider refused it.]" };
const RESULT_NOTE: TextContent = {
  type: "text",
  text: "[Result left out: the model's provider refused the request with it.]",
};

const ABOUT_IMAGES = /\b(?:image|picture|pdf|media.type|base64|pixels)/i;
/** Words for parts of a request that no message of the conversation can put right. */
const ABOUT_SETTINGS =
  /\b(?:max_tokens|max_completion_tokens|tools|tool_choice|temperature|top_[pk]|system|thinking|reasoning|effort|stream_options|stop|metadata|beta|model)\b/i;

/** The parts of a conversation that are not sent. */
interface LeftOut {
  /** Base64 data of images. */
  images: Set<string>;
  /** Ids of the calls whose results are not sent. */
  results: Set<string>;
}

/**
 * Remembers what a provider refused of a conversation. Later requests have a note in its place; the conversation itself keeps it.
 */
export class RequestRepairs {
  readonly #leftOut: LeftOut = { images: new Set(), results: new Set() };
  #messageShare = 1;

  /** The part of the usual limit that a message may have. */
  get messageShare(): number {
    return this.#messageShare;
  }

  /** True if the conversation has long messages that could be cut shorter. */
  canShorten(messages: readonly AgentMessage[], model: Model): boolean {
    return smallerShare(messages, model, this.#messageShare) !== undefined;
  }

  /** Has long messages cut shorter from here on, since a request did not fit. @returns false if none is long. */
  shorten(messages: readonly AgentMessage[], model: Model): boolean {
    const share = smallerShare(messages, model, this.#messageShare);
    this.#messageShare = share ?? this.#messageShare;
    return share !== undefined;
  }

  /** Returns the messages as they may be sent. Messages without a change stay the same objects. */
  apply<Message extends AgentMessage>(messages: readonly Message[]): readonly Message[] {
    const { images, results } = this.#leftOut;
    if (images.size + results.size === 0) return messages;
    return messages.map((message) => {
      if (message.role === "toolResult" && results.has(message.toolCallId))
        return { ...message, content: [RESULT_NOTE] };
      return changeBlocks(message, (block) => {
        if (block.type !== "image" || !images.has(block.data)) return [block];
        return [isPdf(block) ? PDF_NOTE : IMAGE_NOTE];
      });
    });
  }

  /** Begins a request. */
  begin(): RequestRepair {
    return new RequestRepair(this.#leftOut);
  }
}

/** One part of a conversation that may be the reason for a refusal. */
interface Guess {
  leaveOut(): void;
  putBack(): void;
  /** The part, in words for people. */
  what: string;
}

/** Answers the refusals of one request. */
class RequestRepair {
  readonly #leftOut: LeftOut;
  #hasGuessedImage = false;
  #guesses: Guess[] | undefined;
  #lastGuess: Guess | undefined;

  constructor(leftOut: LeftOut) {
    this.#leftOut = leftOut;
  }

  /**
   * Leaves out the least that may be the reason for a refusal. If it is an image: the one that the provider names, or else the newest, and
   * then all. If it is anything else in the messages: the newest attachment, then, in its place, the newest tool result.
   * @param messages the messages as they were sent.
   * @returns what was left out, in words for people; undefined if nothing is left that could help.
   */
  answer(error: unknown, messages: readonly AgentMessage[]): string | undefined {
    const images = messages.flatMap(imagesOf);
    const isAboutImages = images.length > 0 && speaksOfImages(error);
    if (!(error instanceof ProviderError) || !isAboutContent(error, isAboutImages)) {
      // The last guess was not confirmed.
      this.#lastGuess?.putBack();
      this.#lastGuess = undefined;
      return undefined;
    }
    const what = isAboutImages ? this.#leaveOutImages(images, error) : this.#guess(messages);
    if (what === undefined) return undefined;
    return `${error.message} Tiller sent the request again without ${what}, which stays in the chat but won't be sent again.`;
  }

  #leaveOutImages(images: readonly ImageContent[], { refusedImage }: ProviderError): string {
    const named = images.filter(({ data }) => data === refusedImage).slice(0, 1);
    const guessed = this.#hasGuessedImage ? images : images.slice(-1);
    this.#hasGuessedImage ||= named.length === 0;
    const refused = named.length > 0 ? named : guessed;
    for (const { data } of refused) this.#leftOut.images.add(data);
    const [only] = refused;
    if (only === undefined || refused.length > 1) return "its images";
    return `the ${named.length > 0 ? "" : "newest "}${isPdf(only) ? "PDF" : "image"}`;
  }

  #guess(messages: readonly AgentMessage[]): string | undefined {
    this.#guesses ??= this.#suspects(messages);
    this.#lastGuess?.putBack();
    this.#lastGuess = this.#guesses.shift();
    this.#lastGuess?.leaveOut();
    return this.#lastGuess?.what;
  }

  #suspects(messages: readonly AgentMessage[]): Guess[] {
    const { images, results } = this.#leftOut;
    const attachment = messages
      .filter(({ role }) => role === "user")
      .flatMap(imagesOf)
      .at(-1);
    const result = messages.findLast((message) => message.role === "toolResult");
    return [
      ...(attachment === undefined ? [] : [guess(images, attachment.data, "the newest attachment")]),
      ...(result === undefined ? [] : [guess(results, result.toolCallId, `the newest result of ${result.toolName}`)]),
    ];
  }
}

function guess(leftOut: Set<string>, part: string, what: string): Guess {
  return { leaveOut: () => leftOut.add(part), putBack: () => leftOut.delete(part), what };
}

function speaksOfImages(error: unknown): boolean {
  return error instanceof ProviderError && (error.refusedImage !== undefined || ABOUT_IMAGES.test(error.message));
}

/** True if the provider did not take what the messages say. Keys, quotas, lengths and unknown models have kinds or a status of their own. */
function isAboutContent({ kind, status, message }: ProviderError, isAboutImages: boolean): boolean {
  if (kind !== "invalid_request") return false;
  // Most hosts know no status; their words about an image tell as much.
  if (isAboutImages && status === undefined) return true;
  return (status === 400 || status === 422) && (isAboutImages || !ABOUT_SETTINGS.test(message));
}
