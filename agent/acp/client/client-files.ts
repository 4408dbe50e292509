import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import type { CustomTool, CustomToolResult } from "../../client/custom-tools.ts";
import type { ChangePreview } from "../../protocol/dialogs.ts";
import { EDITOR_LINK_TOOLS } from "../../protocol/host-tools.ts";
import { kindOf } from "../../tools/file-kind.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";
import type { FileChange } from "../updates/tool-content.ts";
import type { ClientLink } from "./client-link.ts";

/** Larger files are read and shown by the tools alone. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** The agent waits a little longer for its own request. */
const ANSWER_MS = 10_000;

const BufferRequest = z.discriminatedUnion("op", [
  z.object({ op: z.literal("read"), path: z.string() }),
  z.object({ op: z.literal("write"), path: z.string(), text: z.string(), version: z.int() }),
  z.object({ op: z.literal("open"), uri: z.string() }),
  z.object({ op: z.literal("change"), uri: z.string() }),
]);
const ChangedPlace = z.object({ toolCallId: z.string(), path: z.string().optional() });

interface FileParts {
  link: ClientLink;
  sessionId(): string;
  /** Shows what a call has changed. */
  onChange(toolCallId: string, change: FileChange): void;
}

/** The files as the client has them, with changes that are not saved, and what the agent changes in them. */
export class ClientFiles {
  readonly #parts: FileParts;
  /** The texts that the agent was given, by path, with the number that each was given with. */
  readonly #given = new Map<string, { text: string; version: number }>();
  /** The texts before a change, by the call that makes it. */
  readonly #before = new Map<string, string | null>();
  #versions = 0;
  /** Aborts the requests that the client hasn't answered. */
  #waiting = new AbortController();

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** Hidden tools by which the agent reads and writes the client's files, and says what it changes. */
  tools(): CustomTool[] {
    const { fs } = this.#parts.link.capabilities;
    const noParameters = { parameters: { type: "object" }, hidden: true };
    const changes: CustomTool[] = [
      {
        ...noParameters,
        name: EDITOR_LINK_TOOLS.beforeChange,
        description: "Notes the text of a file before it changes.",
        run: (args) => this.#noteBefore(args),
      },
      {
        ...noParameters,
        name: EDITOR_LINK_TOOLS.afterChange,
        description: "Shows a change.",
        run: (args) => this.#showChange(args),
      },
    ];
    if (fs?.readTextFile !== true) return changes;
    const buffer: CustomTool = {
      ...noParameters,
      name: EDITOR_LINK_TOOLS.buffer,
      description: "Reads and writes what is open in the editor.",
      run: (args) => this.#buffer(args),
    };
    return [...changes, buffer];
  }

  /** Returns a proposed change with the whole texts; undefined if it doesn't fit the file. */
  async proposed({ path, patch }: ChangePreview): Promise<FileChange | undefined> {
    const [oldText, { applyPatch }] = await Promise.all([this.#read(path), import("diff")]);
    const newText = applyPatch(oldText ?? "", patch);
    return newText === false ? undefined : { path, oldText: oldText ?? null, newText };
  }

  /** Waits no longer for answers of the client. */
  cancel(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  async #buffer(args: Record<string, unknown>): Promise<CustomToolResult> {
    const request = BufferRequest.parse(args);
    switch (request.op) {
      case "read":
        return this.#give(request.path);
      case "write":
        return this.#write(request.path, request.text, request.version);
      case "open":
        return details({ text: "", version: 0, missing: true, reason: "This editor opens files only." });
      case "change":
        throw new Error(`Could not change ${request.uri}. This editor opens files only.`);
    }
  }

  /** Gives the agent a text that the client has otherwise than the disk, or that only the client may write. */
  async #give(path: string): Promise<CustomToolResult> {
    const onDisk = await textOnDisk(path);
    if (onDisk === "other") return details({});
    const text = await this.#ask(path);
    const isClients = text !== undefined && (this.#writes || comparable(text) !== comparable(onDisk ?? ""));
    if (text === undefined || !isClients || (onDisk === undefined && text === "")) return details({});
    this.#versions += 1;
    this.#given.set(path, { text, version: this.#versions });
    return details({ text, version: this.#versions });
  }

  async #write(path: string, content: string, version: number): Promise<CustomToolResult> {
    const given = this.#given.get(path);
    const current = await this.#ask(path);
    if (given === undefined || given.version !== version || current !== given.text) {
      throw new Error(`${path} was changed in the editor, so nothing was written. Read it again and retry.`);
    }
    if (!this.#writes) {
      throw new Error(
        `${path} has changes in the editor that aren't saved, and the editor lets nobody else write it. Ask the user to save it, then retry.`,
      );
    }
    const { link, sessionId } = this.#parts;
    await this.#wait((signal) => link.request("fs/write_text_file", { sessionId: sessionId(), path, content }, signal));
    this.#given.delete(path);
    return details({});
  }

  async #noteBefore(args: Record<string, unknown>): Promise<CustomToolResult> {
    const { toolCallId, path } = ChangedPlace.parse(args);
    if (path !== undefined) this.#before.set(toolCallId, (await this.#read(path)) ?? null);
    return details({});
  }

  async #showChange(args: Record<string, unknown>): Promise<CustomToolResult> {
    const { toolCallId, path } = ChangedPlace.parse(args);
    const oldText = this.#before.get(toolCallId);
    this.#before.delete(toolCallId);
    if (path === undefined || oldText === undefined) return details({});
    const newText = await this.#read(path);
    if (newText !== undefined && newText !== oldText) this.#parts.onChange(toolCallId, { path, oldText, newText });
    return details({});
  }

  /** Returns the text as the user sees it. */
  async #read(path: string): Promise<string | undefined> {
    const onDisk = await textOnDisk(path);
    if (onDisk === "other") return undefined;
    return (await this.#ask(path)) ?? onDisk;
  }

  /** Returns the client's text; undefined if it has none, or doesn't give it, such as for a path outside its project. */
  async #ask(path: string): Promise<string | undefined> {
    const { link, sessionId } = this.#parts;
    if (link.capabilities.fs?.readTextFile !== true) return undefined;
    try {
      const request = { sessionId: sessionId(), path };
      const { content } = await this.#wait((signal) => link.request("fs/read_text_file", request, signal));
      return content;
    } catch {
      return undefined; // the file on the disk counts
    }
  }

  /** Waits for an answer of the client, but not for long, and not after a cancel. */
  #wait<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = withTimeLimit(this.#waiting.signal, ANSWER_MS);
    return ask(limit.signal).finally(limit.end);
  }

  get #writes(): boolean {
    return this.#parts.link.capabilities.fs?.writeTextFile === true;
  }
}

/** Returns the text of a file; "other" if it is no text, or a long one; undefined if there is none. */
async function textOnDisk(path: string): Promise<string | "other" | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > MAX_TEXT_BYTES) return "other";
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return undefined;
  return kindOf(bytes).kind === "text" ? bytes.toString("utf8") : "other";
}

/** Editors give all texts the same line endings, and leave byte order marks out. */
function comparable(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}

function details(fields: object): CustomToolResult {
  return { content: [], details: fields };
}
