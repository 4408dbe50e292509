import type { ToolGate } from "../../loop/loop-host.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { ShownLines } from "../../tools/readable-file.ts";
import { crypto } from "../../util/late-node.ts";
import type { EditorLink, OpenDocument } from "./editor-link.ts";

/**
 * Documents that only the editor opens, by their address. Never overwrites a text that the model doesn't know, because
 * somebody else wrote it.
 */
export class EditorAddresses {
  readonly #link: EditorLink;
  /** The texts that the model has read or written, by URI. */
  readonly #known = new Map<string, KnownText>();

  constructor(link: EditorLink) {
    this.#link = link;
  }

  /** A gate before `gate`, so that the user isn't asked about a change that the editor rejects anyway. */
  gate(gate: ToolGate): ToolGate {
    return async (call, signal) => {
      const address = await this.#link.changedAddress(call);
      if (address !== undefined) {
        try {
          await this.load(address);
        } catch (error) {
          return { block: errorMessage(error) };
        }
      }
      return gate(call, signal);
    };
  }

  /** The address that a path of the model's is, if any: there is an editor, and no file of that name. */
  find(cwd: string, shownPath: string): Promise<string | undefined> {
    return this.#link.addressOf(cwd, shownPath);
  }

  /** The text for the model. @throws Error when there is none. */
  async read(address: string): Promise<string> {
    const open = await this.#link.openAddress(address);
    if (open.missing === true) throw new Error(`Not found: ${address}`);
    return open.text;
  }

  /** The model was shown some lines of a text. */
  shown(address: string, text: string, lines: ShownLines): void {
    const known = this.#known.get(address);
    const now = digest(text);
    const seen = known?.digest === now ? known.seen : [];
    this.#known.set(address, { digest: now, seen: [...seen, lines] });
  }

  /** The text for a change; empty when there is none yet. @throws Error when it cannot be changed. */
  async load(address: string): Promise<OpenDocument> {
    const open = await this.#link.openAddress(address);
    if (open.writable === true) return open;
    throw new Error(
      `Could not change ${address}. ${open.reason ?? "The editor does not let it be changed by address."}`,
    );
  }

  /** Puts the text that was made of a loaded one in its place. @throws Error when the user has changed it since. */
  async replace(address: string, loaded: OpenDocument, text: string): Promise<void> {
    await this.#link.replaceAddress(address, text, loaded.version);
    if (this.#isKnown(address, loaded.text)) this.#known.set(address, { digest: digest(text), seen: [ALL] });
  }

  /** Replaces the whole text. @throws Error when the model doesn't know the current text. */
  async write(address: string, text: string): Promise<void> {
    const loaded = await this.load(address);
    if (!this.#isKnown(address, loaded.text)) {
      throw new Error(
        `${address} has text that you have not read, or not since it was changed, so nothing was written. Read it, then retry with what is to stay.`,
      );
    }
    await this.replace(address, loaded, text);
  }

  #isKnown(address: string, text: string): boolean {
    if (text === "") return true;
    const known = this.#known.get(address);
    return known !== undefined && known.digest === digest(text) && isWhole(known.seen);
  }
}

/** A text that the model has read in part. */
interface KnownText {
  readonly digest: string;
  readonly seen: readonly ShownLines[];
}

const ALL: ShownLines = { first: 1, last: 0, total: 0 };

/** True if consecutively shown lines are the whole text. */
function isWhole(seen: readonly ShownLines[]): boolean {
  let next = 1;
  for (const { first, last } of seen.toSorted((a, b) => a.first - b.first)) {
    if (first <= next) next = Math.max(next, last + 1);
  }
  return seen.some(({ total }) => next > total);
}

/** The same for both kinds of line endings: an editor gives a text those that the document has. */
function digest(text: string): string {
  return crypto().createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("base64");
}
