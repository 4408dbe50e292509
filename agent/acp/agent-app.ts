import {
  type AgentApp,
  type AuthMethod,
  agent,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../util/version.ts";
import type { AcpSession } from "./acp-session.ts";
import type { ClientLink } from "./client/client-link.ts";
import { authRequired, invalidParams, toRequestError } from "./errors.ts";
import { FORK, ForkRequest } from "./fork-request.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** The ways to sign in. */
const AUTH_METHODS: AuthMethod[] = [
  {
    id: "environment",
    name: "API key in the environment",
    description:
      "Set ANTHROPIC_API_KEY, or the key of another provider, in the environment that the editor gives to tiller, and restart it.",
  },
  {
    id: "file",
    name: "Provider in models.json",
    description:
      "Add a provider to models.json in the agent's folder (~/.tiller/agent/models.json), then select this again.",
  },
];

/** What is known once the client is connected. */
export interface Connected {
  link: ClientLink;
  sessions: OpenSessions;
  /** True if a model can answer now. */
  canAnswer(): Promise<boolean>;
}

/** Answers the requests of the client. */
export function createApp(connected: () => Connected): AgentApp {
  const sessions = () => connected().sessions;
  return agent({ name: "tiller" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      connected().link.capabilities = params.clientCapabilities ?? {};
      return introduction();
    })
    .onRequest(methods.agent.authenticate, ({ params }) =>
      answered(async () => {
        if (!AUTH_METHODS.some(({ id }) => id === params.methodId)) {
          throw invalidParams(`There is no way to sign in called "${params.methodId}".`);
        }
        if (!(await connected().canAnswer())) throw authRequired();
        sessions().renewKeys();
        return {};
      }),
    )
    .onRequest(methods.agent.session.new, ({ params }) => answered(async () => opened(await sessions().create(params))))
    .onRequest(methods.agent.session.load, ({ params }) =>
      answered(async () => {
        const session = await sessions().reopen(params.sessionId, params);
        await session.replay();
        const { sessionId: _, ...description } = await opened(session);
        return description;
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      answered(async () => {
        const { sessionId: _, ...description } = await opened(await sessions().reopen(params.sessionId, params));
        return description;
      }),
    )
    .onRequest(FORK, ForkRequest, ({ params }) =>
      answered(async () => opened(await sessions().fork(params.sessionId, params))),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      answered(() => sessions().list(cwd ?? undefined, cursor ?? undefined)),
    )
    .onRequest(methods.agent.session.close, ({ params }) => answered(() => sessions().close(params.sessionId)))
    .onRequest(methods.agent.session.delete, ({ params }) => answered(() => sessions().delete(params.sessionId)))
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      answered(() => sessions().get(params.sessionId).choices.setMode(params.modeId)),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answered(async () => ({
        configOptions: await sessions().get(params.sessionId).choices.setOption(params.configId, params.value),
      })),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answered(async () => {
        const session = sessions().get(params.sessionId);
        const cancel = () => void session.cancel().catch((error) => console.error(error));
        signal.addEventListener("abort", cancel, { once: true });
        return session.prompt(params.prompt).finally(() => signal.removeEventListener("abort", cancel));
      }),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions().get(params.sessionId).cancel();
    });
}

/** Describes a session in the answer that opens it; updates follow that answer. */
async function opened(session: AcpSession) {
  const description = await session.describe();
  setImmediate(() => session.open());
  return { sessionId: session.id, ...description };
}

/** Runs the work for a request. @throws RequestError for failures that the client should tell apart. */
async function answered<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function introduction(): InitializeResponse {
  const capabilities = { list: {}, delete: {}, resume: {}, close: {}, fork: {}, additionalDirectories: {} };
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "tiller", title: "Tiller", version: VERSION },
    authMethods: AUTH_METHODS,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: capabilities,
    },
  };
}
