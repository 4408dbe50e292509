import { AgentError } from "../../protocol/errors.ts";
import { PLACE_ENTRY_TYPE } from "../../protocol/session-entries.ts";
import type { Conversation } from "../../session/conversation.ts";
import { textOf } from "../../session/message-text.ts";
import { continueWith } from "../../session/replace.ts";
import { buildTree, entriesBefore, entriesSince } from "../../session/tree.ts";
import type { Services } from "../services/services.ts";
import { replaceSession } from "../session-change/replace-session.ts";
import { tellChanged } from "../session-change/tell-changed.ts";
import type { Handlers } from "./handler.ts";

/** Commands about the session as a tree: looking at it, and going on from another place of it. */
export function treeHandlers(services: Services) {
  const { session } = services;
  const forkPoints = () => ({ data: { messages: session.conversation.userMessages() } });
  const fork = async (entryId: string, verb: "forking" | "branching") => {
    const entry = session.conversation.known(entryId);
    if (entry?.type !== "message" || entry.message.role !== "user") {
      throw new AgentError("not_found", `Invalid entry ID for ${verb}`);
    }
    const text = textOf(entry.message);
    const isDone = await copyFrom(services, { entryId, position: "before" }, entry.parentId);
    return { data: { text, cancelled: !isDone } };
  };
  return {
    get_entries({ since, before, limit }) {
      const { entries, leafId } = session.conversation;
      if (before === undefined && limit === undefined)
        return { data: { entries: entriesSince(entries, since), leafId } };
      return { data: { entries: entriesBefore(session.conversation, before, limit), leafId } };
    },
    get_tree() {
      const { entries, leafId } = session.conversation;
      return { data: { tree: buildTree(entries, session.conversation.labels()), leafId } };
    },
    get_fork_messages: forkPoints,
    get_branch_messages: forkPoints,
    fork: ({ entryId }) => fork(entryId, "forking"),
    branch: ({ entryId }) => fork(entryId, "branching"),
    async clone() {
      const { leafId } = session.conversation;
      if (session.conversation.userMessages().length === 0 || leafId === null) {
        throw new AgentError("not_found", "Cannot clone session: no current entry selected");
      }
      const isDone = await copyFrom(services, { entryId: leafId, position: "at" }, leafId);
      return { data: { cancelled: !isDone } };
    },
    async navigate_tree({ entryId, ...wishes }) {
      if (session.isStreaming) {
        throw new AgentError("busy", "A run is active. Stop it, or wait for it to finish, before you go elsewhere.");
      }
      const { cancelled, aborted, editorText } = await session.navigate(entryId, wishes);
      if (!cancelled) {
        markPlace(session.conversation);
        await tellChanged(services, "tree");
      }
      return { data: { cancelled, ...(aborted && { aborted }), ...(editorText && { text: editorText }) } };
    },
    async switch_session({ sessionPath }) {
      const file = services.sessions.check(sessionPath);
      const question = { type: "session_before_switch", reason: "resume", targetSessionFile: sessionPath };
      const told = { tellAs: ["session_switch"], target: () => ({ file }) };
      const change = { reason: "resume", questions: [question], ...told } as const;
      const isDone = await replaceSession(services, change, async () => {
        await continueWith(session, () => services.sessions.open(sessionPath));
        services.gate.reset();
      });
      return { data: { cancelled: !isDone } };
    },
  } satisfies Partial<Handlers>;
}

/** Marks the current entry in the file if it isn't the last one. */
function markPlace(conversation: Conversation): void {
  const { entries, leafId } = conversation;
  if (entries.at(-1)?.id !== leafId) conversation.appendCustom(PLACE_ENTRY_TYPE, { entryId: leafId });
}

/** The end of a copy: before an entry, or with it. */
interface ForkPoint {
  entryId: string;
  position: "before" | "at";
}

/**
 * Continues in a new session with the path up to `leafId`, after ending the run. @returns false when an extension
 * refuses.
 * @throws AgentError not_found when there is nothing to copy.
 */
export async function copyFrom(services: Services, point: ForkPoint, leafId: string | null): Promise<boolean> {
  const { session, sessions, gate } = services;
  const source = session.conversation;
  if (leafId !== null && !source.has(leafId)) throw new AgentError("not_found", "Invalid entry ID for forking");
  if (!source.isSaved) {
    throw new AgentError(
      "not_found",
      "This session has not been saved yet. Send a message before cloning or forking it.",
    );
  }
  const questions = ["session_before_fork", "session_before_branch"].map((type) => ({ type, ...point }));
  const told = { tellAs: ["session_fork", "session_branch"], target: () => sessions.plan(source) };
  return replaceSession(services, { reason: "fork", questions, ...told }, async ({ skipsRestore }, plan) => {
    await continueWith(session, () => {
      const copy = sessions.copy(source, leafId, plan);
      if (skipsRestore) copy.continueContextOf(source);
      return copy;
    });
    gate.reset();
  });
}
