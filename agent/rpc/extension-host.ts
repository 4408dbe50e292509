import type { ExtensionHost, SendOptions } from "../extensions/host.ts";
import type { ExtensionMessage } from "../extensions/registrations.ts";
import type { InputContent } from "../protocol/content.ts";
import type { CustomMessage, UserMessage } from "../protocol/messages.ts";
import type { Session } from "../session/session.ts";
import type { DialogHub } from "./dialogs.ts";
import type { Reply } from "./handlers/handler.ts";
import type { Services } from "./handlers/services.ts";
import { sessionHandlers } from "./handlers/session-handlers.ts";
import { treeHandlers } from "./handlers/tree-handlers.ts";
import type { Lanes } from "./lanes.ts";

interface HostParts {
  services: Services;
  dialogs: DialogHub;
  /** Whether extensions may add tools. */
  takesTools: boolean;
  abort(): void;
  shutdown(): void;
}

/** What extensions can do with the session. */
export function createExtensionHost(parts: HostParts): ExtensionHost {
  const { session, lanes } = parts.services;
  const replacing = { ...sessionHandlers(parts.services), ...treeHandlers(parts.services) };
  const replace = async (work: () => Promise<Reply<{ cancelled: boolean }>>) => {
    const { data } = await inLane(lanes, "replace", work);
    return { cancelled: data.cancelled };
  };
  const { tools, selection, registry } = session.options;
  return {
    ui: parts.dialogs,
    models: registry,
    addTool(tool, isActive) {
      if (parts.takesTools) tools.add(tool, isActive);
    },
    activeTools: () => [...tools.active().keys()],
    allTools: () => tools.all(),
    setActiveTools: (names) => tools.setActive(names),
    shutdown: parts.shutdown,
    isIdle: () => !session.isStreaming,
    hasPendingMessages: () => session.queue.length > 0,
    runSignal: () => (session.isStreaming ? session.runSignal : undefined),
    abort: parts.abort,
    idle: () => session.runEnded(),
    contextUsage: () => session.contextUsage(),
    systemPrompt: () => session.systemPrompt(),
    compact: (customInstructions) => inLane(lanes, "compact", () => session.compact(customInstructions)),
    conversation: () => session.conversation,
    async appendEntry(customType, data) {
      const entry = session.conversation.appendCustom(customType, data);
      if (entry !== undefined) await parts.services.output.emit({ type: "entry_appended", entry });
      return entry;
    },
    setLabel: (entryId, label) => session.conversation.setLabel(entryId, label),
    setName: (name) => session.setName(name),
    sendMessage: (message, options) => sendMessage(parts.services, message, options),
    async sendUserMessage(content, deliverAs) {
      const message = toUserMessage(content);
      if (!session.isStreaming) return inLane(lanes, "lane", () => begin(session, message));
      if (deliverAs === undefined) {
        throw new Error("Agent is already processing. Specify deliverAs ('steer' or 'followUp') to queue the message.");
      }
      await session.enqueueMessage(deliverAs === "steer" ? "steering" : "followUp", message);
    },
    model: () => selection.model,
    async setModel(provider, id) {
      const model = registry.find(provider, id);
      if (model === undefined || !registry.hasCredentials(provider)) return false;
      await session.setModel(model);
      return true;
    },
    thinkingLevel: () => selection.thinkingLevel,
    setThinkingLevel: (level) => session.setThinkingLevel(level),
    newSession: (parentSession) => replace(() => replacing.new_session({ parentSession })),
    fork: (entryId) => replace(() => replacing.fork({ entryId })),
    clone: () => replace(() => replacing.clone()),
    switchSession: (sessionPath) => replace(() => replacing.switch_session({ sessionPath })),
  };
}

async function sendMessage({ session, lanes }: Services, given: ExtensionMessage, options: SendOptions): Promise<void> {
  const message: CustomMessage = { ...given, role: "custom", timestamp: Date.now() };
  if (options.deliverAs === "nextTurn") session.opening.add(message);
  else if (session.isStreaming) {
    await session.enqueueMessage(options.deliverAs === "followUp" ? "followUp" : "steering", message);
  } else if (options.triggerTurn === true) await inLane(lanes, "lane", () => begin(session, message));
  else await session.append(message);
}

/** Begins a run; one that began meanwhile takes the message as steering. */
async function begin(session: Session, message: UserMessage | CustomMessage): Promise<void> {
  if (session.isStreaming) return session.enqueueMessage("steering", message);
  session.options.selection.require();
  session.acceptMessage(message)();
}

function toUserMessage(content: string | readonly InputContent[]): UserMessage {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : [...content];
  return { role: "user", content: blocks, timestamp: Date.now(), attribution: "agent" };
}

/** Does work in its turn, and hands over what it gives or throws. */
async function inLane<Result>(
  lanes: Lanes,
  lane: "lane" | "compact" | "replace",
  work: () => Promise<Result>,
): Promise<Result> {
  let outcome: Promise<Result> | undefined;
  await lanes.run(lane, async () => {
    outcome = work();
    await outcome.catch(() => undefined); // whoever asked is told below
  });
  if (outcome === undefined) throw new Error("The agent has ended.");
  return outcome;
}
