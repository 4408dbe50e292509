import type { Selection } from "../../changes/change-record.ts";
import type { CommandResult } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import { checkpointsOf, findCheckpoint, spanOf } from "../../session/checkpoints.ts";
import { firstLine } from "../../util/excerpt.ts";
import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";
import { copyFrom } from "./tree-handlers.ts";

/** Maximum length of a checkpoint's text, in UTF-16 units. */
const MAX_TEXT = 200;

/** The part of the changes that a command names. */
interface Named {
  toolCallId?: string | undefined;
  entryId?: string | undefined;
  paths?: readonly string[] | undefined;
}

/** Commands about what the agent has changed. */
export function changeHandlers(services: Services) {
  const { session, changes } = services;
  const selected = ({ toolCallId, entryId, paths }: Named): Selection => {
    if (toolCallId !== undefined && entryId !== undefined) {
      throw new AgentError("invalid_request", "Give toolCallId or entryId, not both.");
    }
    return entryId === undefined ? { toolCallId, paths } : { ...spanOf(session.conversation, entryId), paths };
  };
  const requireIdle = () => {
    if (!session.isStreaming) return;
    throw new AgentError("busy", "A run is active. Stop it, or wait for it to finish, before you undo changes.");
  };
  const undo = async (selection: Selection, wishes: { hunk?: string | undefined; merge?: boolean | undefined }) => {
    const files = await (await changes.record()).undo(selection, wishes);
    changes.judged(
      "undone",
      files.flatMap(({ path, outcome }) => (outcome === "refused" ? [] : [path])),
    );
    return files;
  };
  return {
    async get_changes(named): Promise<{ data: CommandResult<"get_changes"> }> {
      const files = await (await changes.record()).list(selected(named));
      const { trouble } = changes;
      return { data: { files, ...(trouble === undefined ? {} : { trouble }) } };
    },
    async get_change({ path, ...named }) {
      return { data: await (await changes.record()).show(selected(named), path) };
    },
    async keep_changes({ hunkId, ...named }) {
      const paths = await (await changes.record()).keep(selected(named), hunkId);
      changes.judged("kept", paths);
      return { data: { paths } };
    },
    async undo_changes({ hunkId, merge, ...named }) {
      requireIdle();
      return { data: { files: await undo(selected(named), { hunk: hunkId, merge }) } };
    },
    async list_checkpoints() {
      const messages = checkpointsOf(session.conversation);
      const counts = await (await changes.record()).countFiles(messages.map(({ timestamp }) => timestamp));
      const checkpoints = messages.map(({ entryId, text, timestamp }, index) => ({
        entryId,
        text: firstLine(text, MAX_TEXT),
        timestamp,
        files: counts[index] ?? 0,
      }));
      return { data: { checkpoints } };
    },
    async restore_checkpoint({ entryId, what, merge }) {
      requireIdle();
      const message = findCheckpoint(session.conversation, entryId);
      const files = what === "conversation" ? [] : await undo({ from: message.timestamp }, { merge });
      const isRefused = files.some(({ outcome }) => outcome === "refused");
      if (what === "files") return { data: { files, cancelled: false } };
      if (isRefused && merge !== true) return { data: { files, cancelled: true } };
      const isDone = await copyFrom(services, { entryId, position: "before" }, message.parentId);
      return { data: { files, cancelled: !isDone, text: message.text } };
    },
  } satisfies Partial<Handlers>;
}
