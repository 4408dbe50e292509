import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  type LoggingLevel,
  LoggingMessageNotificationSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { APP_NAME } from "../../protocol/envelope.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { unlessAborted } from "../../util/unless-aborted.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";
import type { BoundedLines } from "./bounded-lines.ts";
import { Cancellations } from "./cancellations.ts";
import type { Channel } from "./channel.ts";
import { type EnvFilePlace, readEnvFile } from "./env-file.ts";
import { isConnectionLost } from "./failure-text.ts";
import { httpChannel } from "./http-channel.ts";
import type { Env } from "./mcp-parts.ts";
import type { ServerConfig } from "./server-config.ts";
import {
  type FeatureListener,
  followFeatures,
  listAll,
  type ServerFeatures,
  serverFeatures,
} from "./server-features.ts";
import { logLine } from "./server-log.ts";
import type { ServerRequests } from "./server-requests.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { limitAnswers } from "./watched-answer.ts";

/** The longest delay of a Node timer: calls have no time limit of their own. */
const NO_LIMIT_MS = 2_147_483_647;

/** The time limit for a server to set its log level. */
const LOG_LEVEL_LIMIT_MS = 5_000;

/** The result of a tool, with unchecked blocks. */
export const CallResult = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResult>;

/** The progress of a call. */
export interface CallProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** A server that answers. */
export interface Connection {
  /** The server's instructions for the model. */
  instructions: string | undefined;
  features: ServerFeatures;
  /** All tools, unchecked. @throws what the server or the connection says, or that the server has not answered in time. */
  listTools(signal: AbortSignal): Promise<unknown[]>;
  /** @throws what the server or the connection says; after an abort the server is told. */
  call(
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress: (progress: CallProgress) => void,
  ): Promise<CallResult>;
  /** Describes the exit of its process, for a sentence that begins with its name. */
  readonly ending: string;
  /** False once either side has ended it. */
  readonly isOpen: boolean;
  /** Resolves when everything that it started has ended. */
  close(): Promise<void>;
}

/** Options of a connection. */
export interface ConnectionOptions {
  config: ServerConfig;
  cwd: string;
  /** Where the entry is, which may name a file with more variables. */
  place: EnvFilePlace;
  /** Its environment, besides the variables of the entry. */
  env: Env;
  version: string;
  startTimeoutMs: number;
  signal: AbortSignal;
  log: BoundedLines;
  /** The lowest level of messages that are logged. */
  logLevel: LoggingLevel;
  /** Sends the requests to a server on the network. */
  fetch: FetchLike;
  /** Answers requests from the server. */
  requests: Pick<ServerRequests, "elicit" | "sample"> & { pages: Pick<ServerRequests["pages"], "completed"> };
  onToolsChanged(): void;
  features: FeatureListener;
  /** Called when the connection ends and this side did not close it. */
  onClosed(): void;
}

/**
 * Starts or reaches a server and negotiates the protocol. @throws Error when it can't be reached or doesn't answer in
 * time; by then, everything that it started has ended.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { startTimeoutMs, log } = options;
  const channel = await channelTo(options);
  const client = createClient(options);
  let isOver = false;
  try {
    await connect(client, channel.transport, options);
  } catch (error) {
    await channel.close();
    if (isConnectionLost(error)) throw new Error(`it has ${channel.ending()}.`, { cause: error });
    throw channel.reason?.(error) ?? error;
  }
  client.onerror = (error) => log.line(errorMessage(error));
  client.onclose = () => {
    if (isOver) return;
    isOver = true;
    options.onClosed();
  };
  await setLogLevel(client, options);
  return {
    instructions: client.getInstructions(),
    features: serverFeatures(client),
    async listTools(listSignal) {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      return listAll(client, "tools", { signal: listSignal, timeout: startTimeoutMs });
    },
    call: (tool, args, callSignal, onProgress) =>
      client.request({ method: "tools/call", params: { name: tool, arguments: args } }, CallResult, {
        signal: callSignal,
        timeout: NO_LIMIT_MS,
        onprogress: onProgress,
      }),
    get ending() {
      return channel.ending();
    },
    get isOpen() {
      return !isOver;
    },
    async close() {
      isOver = true;
      await channel.close();
      await client.close();
    },
  };
}

/** Some steps of the SDK have no time limit, such as waiting for an event or for the answer to a notification. */
async function connect(client: Client, transport: Transport, options: ConnectionOptions): Promise<void> {
  const { signal, startTimeoutMs: timeout } = options;
  const limit = withTimeLimit(signal, timeout);
  try {
    await unlessAborted(client.connect(transport, { timeout, signal }), limit.signal, 0);
    signal.throwIfAborted();
    if (limit.signal.aborted) throw new McpError(ErrorCode.RequestTimeout, "Request timed out");
  } finally {
    limit.end();
  }
}

async function channelTo(options: ConnectionOptions): Promise<Channel> {
  const { config, fetch } = options;
  if (config.kind === "stdio") return stdioChannel(config, options);
  if (config.isSse !== true) return httpChannel(config, fetch);
  const { sseChannel } = await import("./sse-channel.ts");
  return sseChannel(config, limitAnswers(fetch));
}

/** Servers that can't set a level send messages of any level. */
async function setLogLevel(client: Client, { logLevel, log, signal }: ConnectionOptions): Promise<void> {
  if (client.getServerCapabilities()?.logging === undefined) return;
  try {
    await client.setLoggingLevel(logLevel, { signal, timeout: LOG_LEVEL_LIMIT_MS });
  } catch (error) {
    log.line(`couldn't set its log level: ${errorMessage(error)}`);
  }
}

function createClient(options: ConnectionOptions): Client {
  const { cwd, version, log, logLevel, requests, onToolsChanged, features } = options;
  const client = new Client(
    { name: APP_NAME, version },
    {
      capabilities: { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} },
      // Results are passed on unchanged; only a part of the client that we don't use would check them.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "unchecked" }) },
    },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
  }));
  const cancellations = new Cancellations();
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId, signal }) =>
    cancellations.during(requestId, signal, (end) => requests.elicit(params, end)),
  );
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { requestId, signal }) =>
    cancellations.during(requestId, signal, (end) => requests.sample(params, end)),
  );
  client.setNotificationHandler(CancelledNotificationSchema, ({ params }) => cancellations.cancel(params.requestId));
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
    requests.pages.completed(params.elicitationId),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    const line = logLine(params, logLevel);
    if (line !== undefined) log.line(line);
  });
  followFeatures(client, features);
  return client;
}

type StdioConfig = Extract<ServerConfig, { kind: "stdio" }>;

function stdioChannel(config: StdioConfig, { cwd, place, env, log }: ConnectionOptions): Channel {
  const folder = resolve(cwd, config.cwd ?? ".");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`there is no folder ${folder}.`);
  const transport = new StdioTransport({
    command: config.command,
    args: config.args,
    cwd: folder,
    env: { ...env, ...(config.envFile !== undefined && readEnvFile(config.envFile, place)), ...config.env },
    onStderr: (chunk) => log.push(chunk),
    onNoise: (text) => log.line(`wrote something to stdout that isn't a message: ${text}`),
  });
  return { transport, ending: () => transport.ending, close: () => transport.close() };
}
