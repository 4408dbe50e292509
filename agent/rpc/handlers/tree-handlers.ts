import { AgentError } from "../../protocol/errors.ts";
import { textOf } from "../../session/conversation.ts";
import { continueWith } from "../../session/replace.ts";
import { buildTree, entriesSince } from "../../session/tree.ts";
import type { Handlers } from "./handler.ts";
import type { Services } from "./services.ts";

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
    await copyFrom(services, entry.parentId);
    return { data: { text, cancelled: false } };
  };
  return {
    get_entries({ since }) {
      const { entries, leafId } = session.conversation;
      return { data: { entries: entriesSince(entries, since), leafId } };
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
      await copyFrom(services, leafId);
      return { data: { cancelled: false } };
    },
    async switch_session({ sessionPath }) {
      services.sessions.check(sessionPath);
      await continueWith(session, () => services.sessions.open(sessionPath));
      services.gate.reset();
      return { data: { cancelled: false } };
    },
  } satisfies Partial<Handlers>;
}

/** Goes on in a new session that holds the path up to `leafId`; the run ends first. */
async function copyFrom({ session, sessions, gate }: Services, leafId: string | null): Promise<void> {
  const source = session.conversation;
  if (!source.isSaved) {
    throw new AgentError(
      "not_found",
      "This session has not been saved yet. Send a message before cloning or forking it.",
    );
  }
  await continueWith(session, () => sessions.copy(source, leafId));
  gate.reset();
}
