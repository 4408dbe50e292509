import { setTimeout as delay } from "node:timers/promises";
import type { CommandResult, SessionState } from "../../protocol/commands.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import { proposedPlan } from "../../session/proposed-plan.ts";
import type { Session } from "../../session/session.ts";
import { sessionStats } from "../../session/stats.ts";
import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";

/** The time that a state waits for the sandbox. */
const SANDBOX_LOOK_MS = 1000;

/** Queries about the session as a whole. */
export function stateHandlers(services: Services) {
  const { session } = services;
  return {
    async get_state({ omit = [] }) {
      const hidden = new Set(omit);
      const state = sessionState(services); // as it is on receipt: later commands may change it
      if (!hidden.has("systemPrompt")) await session.prompt.load();
      const sandboxProblem = await problemShown(services);
      return {
        data: {
          ...state,
          ...(sandboxProblem === undefined ? {} : { sandboxProblem }),
          ...(hidden.has("systemPrompt") ? {} : { systemPrompt: session.prompt.text(), ...instructionFiles(session) }),
          ...(hidden.has("dumpTools") ? {} : { dumpTools: dumpTools(session) }),
        },
      };
    },
    get_messages() {
      return { data: { messages: [...session.conversation.messages] } };
    },
    get_last_assistant_text() {
      return { data: { text: lastAssistantText(session.conversation.messages) } };
    },
    get_session_stats(): { data: CommandResult<"get_session_stats"> } {
      return { data: sessionStats(session.conversation, session.contextUsage()) };
    },
  } satisfies Partial<Handlers>;
}

/** Returns why there is no sandbox, if commands would run in one and that is found out soon. */
async function problemShown({ session, sandbox }: Services): Promise<string | undefined> {
  if (session.modes.permission.mode !== "sandboxed") return undefined;
  return Promise.race([sandbox.problem(), delay(SANDBOX_LOOK_MS, undefined, { ref: false })]);
}

function sessionState({ session, bash, held, processes }: Services): SessionState {
  const { running } = processes.background;
  const { modes, queue, conversation } = session;
  const { selection, registry, cwd, plan } = session.options;
  const proposed = session.isStreaming ? undefined : proposedPlan(conversation.path());
  return {
    model: selection.model === undefined ? null : registry.toWire(selection.model),
    thinkingLevel: selection.thinkingLevel,
    isStreaming: session.isStreaming || held.hasWaiting,
    isCompacting: session.isCompacting,
    steeringMode: queue.modes.steering,
    followUpMode: queue.modes.followUp,
    interruptMode: modes.interrupt,
    sessionFile: conversation.file,
    sessionId: conversation.id,
    sessionName: conversation.name,
    autoCompactionEnabled: modes.isAutoCompactionOn,
    messageCount: conversation.messages.length,
    pendingMessageCount: queue.length,
    queuedMessageCount: queue.length,
    todoPhases: [...plan.phases],
    ...(proposed === undefined ? {} : { proposedPlan: proposed }),
    contextUsage: session.contextUsage(),
    autoRetryEnabled: modes.isAutoRetryOn,
    isBashRunning: bash.isRunning,
    ...(running.length > 0 ? { backgroundProcesses: running } : {}),
    isRetrying: session.isRetrying,
    permissionMode: modes.permission.mode,
    cwd,
  };
}

function instructionFiles(session: Session): Pick<SessionState, "instructionFiles"> {
  const files = session.instructionFiles();
  return files.length === 0 ? {} : { instructionFiles: files };
}

function dumpTools(session: Session) {
  return session.shelf.list().map(({ tool: { name, description, parameters }, isDeferred }) => ({
    name,
    description,
    parameters,
    ...(isDeferred ? { deferred: true } : {}),
  }));
}

function lastAssistantText(messages: readonly AgentMessage[]): string | null {
  const last = messages.findLast(
    (message) => message.role === "assistant" && !(message.stopReason === "aborted" && message.content.length === 0),
  );
  if (last?.role !== "assistant") return null;
  const text = last.content
    .map((block) => (block.type === "text" && block.note !== "search" ? block.text : ""))
    .join("")
    .trim();
  return text === "" ? null : text;
}
