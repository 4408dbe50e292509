import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  ErrorCode,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";

const MAX_PAGES = 50;
/** A limit above that of every kind of list. */
const MAX_ENTRIES = 2000;
/** The time limit of one request about resources and prompts. */
const REQUEST_LIMIT_MS = 30_000;

/** A list that servers send page by page. */
const LISTS = {
  tools: { method: "tools/list", Page: pageOf("tools") },
  resources: { method: "resources/list", Page: pageOf("resources") },
  templates: { method: "resources/templates/list", Page: pageOf("resourceTemplates") },
  prompts: { method: "prompts/list", Page: pageOf("prompts") },
} as const;
/** The lists of a server. */
export type ListName = keyof typeof LISTS;

const Contents = z.object({ contents: z.array(z.unknown()) });
const PromptMessages = z.object({ messages: z.array(z.unknown()) });
const Completion = z.object({ completion: z.object({ values: z.array(z.string()) }) });
const Done = z.object({});

/** A prompt argument or a template variable whose values a server can complete. */
export interface CompletionPlace {
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  argument: { name: string; value: string };
}

/** The features of a server besides its tools. The entries of its answers are unchecked. */
export interface ServerFeatures {
  hasResources: boolean;
  hasPrompts: boolean;
  canComplete: boolean;
  list(name: Exclude<ListName, "tools">, signal: AbortSignal): Promise<unknown[]>;
  /** @throws the error of the server or the connection, as all of these methods do. */
  read(uri: string, signal: AbortSignal): Promise<unknown[]>;
  /** Subscribes to changes of a resource; does nothing if the server doesn't report changes. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  promptMessages(name: string, args: Record<string, string>, signal: AbortSignal): Promise<unknown[]>;
  complete(place: CompletionPlace, signal: AbortSignal): Promise<string[]>;
}

/** Callbacks for notifications of a server. */
export interface FeatureListener {
  onOffersChanged(name: "resources" | "prompts"): void;
  onResourceChanged(uri: string): void;
}

/** Returns the features of a connected server. */
export function serverFeatures(client: Client): ServerFeatures {
  const { resources, prompts, completions } = client.getServerCapabilities() ?? {};
  const limits = (signal: AbortSignal) => ({ signal, timeout: REQUEST_LIMIT_MS });
  return {
    hasResources: resources !== undefined,
    hasPrompts: prompts !== undefined,
    canComplete: completions !== undefined,
    list: (name, signal) => listAll(client, name, limits(signal)).catch(nothingIfUnknown),
    async read(uri, signal) {
      const request = { method: "resources/read" as const, params: { uri } };
      return (await client.request(request, Contents, limits(signal))).contents;
    },
    async subscribe(uri, signal) {
      if (resources?.subscribe !== true) return;
      await client.request({ method: "resources/subscribe", params: { uri } }, Done, limits(signal));
    },
    async promptMessages(name, args, signal) {
      const request = { method: "prompts/get" as const, params: { name, arguments: args } };
      return (await client.request(request, PromptMessages, limits(signal))).messages;
    },
    async complete({ ref, argument }, signal) {
      const request = { method: "completion/complete" as const, params: { ref, argument } };
      return (await client.request(request, Completion, limits(signal))).completion.values;
    },
  };
}

/** Passes on the server's notifications about resources and prompts. */
export function followFeatures(client: Client, { onOffersChanged, onResourceChanged }: FeatureListener): void {
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => onOffersChanged("resources"));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => onOffersChanged("prompts"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onResourceChanged(params.uri));
}

/** Reads all pages of a list within one time limit. @throws the error of the server or the connection, or one for a timeout. */
export async function listAll(
  client: Client,
  name: ListName,
  { signal, timeout }: { signal: AbortSignal; timeout: number },
): Promise<unknown[]> {
  const { method, Page } = LISTS[name];
  const deadline = performance.now() + timeout;
  const entries: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const timeLeft = Math.max(1, deadline - performance.now());
    const read = await client.request({ method, params }, Page, { signal, timeout: timeLeft });
    for (const entry of read.entries.slice(0, MAX_ENTRIES - entries.length)) entries.push(entry);
    cursor = read.nextCursor;
    if (cursor === undefined || entries.length === MAX_ENTRIES) break;
  }
  return entries;
}

function pageOf(key: string) {
  return z
    .looseObject({ nextCursor: z.unknown().optional() })
    .transform(({ nextCursor, [key]: entries }): unknown => ({ nextCursor, entries }))
    .pipe(z.object({ nextCursor: z.string().optional(), entries: z.array(z.unknown()) }));
}

/** Returns no templates for a server that has resources but doesn't support templates. */
function nothingIfUnknown(error: unknown): unknown[] {
  if (error instanceof McpError && error.code === ErrorCode.MethodNotFound) return [];
  throw error;
}
