import type { ExtensionAPI, ExtensionContext, InputEvent } from "../../../extensions/author.ts";
import { type AttachedItem, attachItems, splitAttached } from "../../../protocol/attached.ts";
import type { ImageContent } from "../../../protocol/content.ts";
import { errorMessage } from "../../../protocol/errors.ts";
import { withTimeLimit } from "../../../util/with-time-limit.ts";
import type { OfferingServer } from "./offer-book.ts";
import { type ArgumentValues, askForArgument, readArguments } from "./prompt-arguments.ts";
import type { PromptBook, PromptCall } from "./prompt-book.ts";
import { toPromptMessage } from "./prompt-message.ts";
import { mentionedResources, type ResourcePlace } from "./resource-mentions.ts";
import type { ResourceReader } from "./resource-reader.ts";

const MAX_MENTIONS = 20;
const MAX_IMAGES = 10;
/** The maximum length of the text that the resources add to one message, in UTF-8 bytes. */
const MAX_TOTAL_BYTES = 256 * 1024;
/** The longest wait of a message for an active run. After that, the message is sent unchanged. */
const ACTIVE_LIMIT_MS = 8000;

/** The result of a handler of the event `input`; undefined leaves the message unchanged. */
type Decision = { action: "handled" } | { action: "transform"; text: string; images: ImageContent[] } | undefined;

interface MessageParts {
  api: ExtensionAPI;
  servers(): readonly OfferingServer[];
  reader: ResourceReader;
  prompts: PromptBook;
}

/** Adds the prompts and resources of servers to the user's messages. */
export class MessageOffers {
  readonly #parts: MessageParts;
  /** Aborted when the session ends. */
  #session = new AbortController();

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  /** Cancels the requests of the current session, because another one begins. */
  sessionEnded(): void {
    this.#session.abort();
    this.#session = new AbortController();
  }

  /** Replaces a prompt's slash command with its messages, or attaches the resources that the message mentions. */
  async expand(event: InputEvent, context: ExtensionContext): Promise<Decision> {
    const { signal } = context;
    if (event.streamingBehavior === undefined)
      return this.#expand(event, context, signal ?? new AbortController().signal);
    const limit = withTimeLimit(signal, ACTIVE_LIMIT_MS);
    try {
      return await this.#expand(event, context, limit.signal);
    } finally {
      limit.end();
    }
  }

  async #expand(event: InputEvent, { ui, signal }: ExtensionContext, until: AbortSignal): Promise<Decision> {
    const call = this.#parts.prompts.find(event.text);
    if (call === undefined) return this.#attach(event, until);
    const values = readArguments(call.args, call.prompt.arguments);
    if (missingOf(call, values).length > 0) {
      // Nobody waits for the dialogs; the message is sent when they are answered.
      void this.#askAndSend(event, call, values, ui);
      return { action: "handled" };
    }
    try {
      return { action: "transform", ...(await this.#messageOf(event, call, values, until)) };
    } catch (error) {
      giveBack(event, ui, until.aborted && signal?.aborted !== true ? new Error("It took too long.") : error);
      return { action: "handled" };
    }
  }

  async #askAndSend(event: InputEvent, call: PromptCall, values: ArgumentValues, ui: ExtensionContext["ui"]) {
    const { signal } = this.#session;
    try {
      for (const argument of missingOf(call, values)) {
        const value = await askForArgument({ ...call, argument, ui }, signal);
        if (value === undefined) throw new Error(`The prompt needs a value for "${argument.name}".`);
        values[argument.name] = value;
      }
      const { text, images } = await this.#messageOf(event, call, values, signal);
      if (signal.aborted) return;
      const content = [{ type: "text" as const, text }, ...images];
      this.#parts.api.sendUserMessage(content, { deliverAs: event.streamingBehavior ?? "followUp" });
    } catch (error) {
      if (!signal.aborted) giveBack(event, ui, error);
    }
  }

  async #messageOf(
    { text, images }: InputEvent,
    { server, prompt }: PromptCall,
    values: ArgumentValues,
    signal: AbortSignal,
  ): Promise<{ text: string; images: ImageContent[] }> {
    const messages = await server.request((features) => features.promptMessages(prompt.name, values, signal), signal);
    const message = toPromptMessage(server.name, messages);
    const { attached } = splitAttached(text);
    return { text: attachItems(message.text + attached, message.items), images: [...images, ...message.images] };
  }

  async #attach({ text, images }: InputEvent, signal: AbortSignal): Promise<Decision> {
    const servers = this.#parts.servers();
    const { text: written, attached } = splitAttached(text);
    const isListed = ({ server, uri }: ResourcePlace) =>
      servers.some(({ name, offers }) => name === server && offers.resources.some((one) => one.uri === uri));
    const names = servers.map(({ name }) => name);
    // Resources that the host attached itself aren't read again.
    const places = mentionedResources(written, names, isListed).filter((place) => !attached.includes(factsOf(place)));
    if (places.length === 0) return undefined;
    const read = await Promise.all(places.slice(0, MAX_MENTIONS).map((place) => this.#item(place, signal)));
    const kept = withinLimits(read);
    return {
      action: "transform",
      text: attachItems(
        text,
        kept.map(({ item }) => item),
      ),
      images: [...images, ...kept.flatMap((one) => one.images)],
    };
  }

  async #item(place: ResourcePlace, signal: AbortSignal): Promise<ReadItem> {
    try {
      const { text, images, ...facts } = await this.#parts.reader.read(place, signal);
      const known = this.#parts.servers().find(({ name }) => name === place.server)?.offers.resources;
      const name = known?.find(({ uri }) => uri === place.uri)?.name ?? place.uri;
      return { item: { facts: { kind: "resource", name, ...place, ...facts }, text }, images, place };
    } catch (error) {
      const reason = signal.aborted ? "The server took too long." : errorMessage(error);
      return { item: missing(place, reason), images: [], place };
    }
  }
}

interface ReadItem {
  item: AttachedItem;
  images: ImageContent[];
  place: ResourcePlace;
}

function withinLimits(items: readonly ReadItem[]): ReadItem[] {
  let room = MAX_TOTAL_BYTES;
  let imageRoom = MAX_IMAGES;
  return items.map((one) => {
    room -= Buffer.byteLength(one.item.text);
    if (room < 0) return { ...one, item: missing(one.place, "The resources of the message are too long."), images: [] };
    const images = one.images.slice(0, imageRoom);
    imageRoom -= images.length;
    if (one.images.length === 0) return one;
    const text = [one.item.text, imagesNote(images.length, one.images.length)].filter((line) => line !== "").join("\n");
    return { ...one, item: { ...one.item, text }, images };
  });
}

function imagesNote(kept: number, all: number): string {
  const attached = kept === 1 ? "1 image is attached" : `${kept} images are attached`;
  return kept === all ? `[${attached}.]` : `[${attached}, ${all - kept} left out.]`;
}

function missing({ server, uri }: ResourcePlace, reason: string): AttachedItem {
  return { facts: { kind: "missing", name: `@${server}:${uri}`, reason }, text: "" };
}

/** Returns the part of an attached item's facts that names a resource, exactly as written. */
function factsOf({ server, uri }: ResourcePlace): string {
  return JSON.stringify({ server, uri }).slice(1, -1);
}

function missingOf({ prompt }: PromptCall, values: ArgumentValues) {
  return prompt.arguments.filter(({ name, required }) => required === true && values[name] === undefined);
}

/** Returns the typed text to the user, so that it isn't lost. */
function giveBack({ text }: InputEvent, ui: ExtensionContext["ui"], error: unknown): void {
  const { text: written } = splitAttached(text);
  ui.notify(`Couldn't use ${written.split(/\s/, 1)[0]}: ${errorMessage(error)}`, "error");
  ui.setEditorText(written);
}
