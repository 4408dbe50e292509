import { isAbsolute, relative } from "node:path";
import { ChangeRecord, type Selection } from "../changes/change-record.ts";
import { readEntry } from "../changes/file-content.ts";
import { realPathOf } from "../changes/named-files.ts";
import { openRecord } from "../changes/record-place.ts";
import { restoreEntries } from "../changes/restore-entries.ts";
import type { ChangesOptions } from "../config/changes-options.ts";
import { agentDirectory, type Env, expandPath, projectDirectory } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import type { FileChange, ShownContent, UndoneFile } from "../protocol/changes.ts";
import { AgentError } from "../protocol/errors.ts";
import { checkpointsOf } from "../session/checkpoints.ts";
import type { Conversation } from "../session/conversation.ts";
import { findSession, mostRecentSession, sessionFolder } from "../session/locate.ts";
import { lockSession } from "../session/lock.ts";
import { createSessions } from "../session/open.ts";
import { recordedSession } from "../session/recorded-session.ts";
import { describeChange } from "../tools/edit-diff.ts";
import { firstLine } from "../util/excerpt.ts";

const HELP = `Usage: tiller changes [path...]    List what the agent has changed in the latest session here; with paths, show it
       tiller undo [path...]       Undo what it has changed since your last message; with paths, all of it in these files
  --all                            Undo everything that nobody has kept or undone yet
  --merge                          Undo the agent's part of files that were changed since, too
  -r, --session <path|id>          Use another session
  --session-dir <dir>              Look for sessions in this directory
  Exit codes: 0 done, 1 a file was left alone, 2 wrong usage
`;

const MAX_MESSAGE = 80;

/** What a command prints, and its exit code. */
interface Printed {
  text: string;
  exitCode: number;
}

/** Shows or undoes what the agent changed in a session. @throws AgentError when there is no session, or another process works in it. */
export async function changesCommand(options: ChangesOptions, env: Env, cwd: string): Promise<Printed> {
  if (options.isHelp) return { text: HELP, exitCode: 0 };
  const conversation = await findConversation(options, env, cwd);
  const session = recordedSession(conversation);
  const lock = options.command === "undo" && session.file !== undefined ? lockSession(session.file) : undefined;
  try {
    const { journal, store } = await openRecord(session);
    const disk = {
      read: readEntry,
      restore: (entries: Parameters<typeof restoreEntries>[0]) => restoreEntries(entries),
    };
    const record = new ChangeRecord({ journal, store, disk, now: Date.now });
    const paths = await Promise.all(options.paths.map((path) => realPathOf(expandPath(path, cwd))));
    return options.command === "undo"
      ? await undo(record, { conversation, options, paths, cwd })
      : await show(record, paths, cwd);
  } finally {
    lock?.release();
  }
}

async function findConversation(options: ChangesOptions, env: Env, cwd: string): Promise<Conversation> {
  const agentDir = agentDirectory(env, cwd);
  const warn = (message: string) => console.error(message);
  const places = { agentDir, projectDir: projectDirectory(cwd), isProjectTrusted: false, warn };
  const { sessionDir } = await loadSettings(places);
  const given = options.sessionDir ?? (env.PI_CODING_AGENT_SESSION_DIR || sessionDir);
  const folder = sessionFolder({ agentDir, cwd, sessionDir: given });
  const path =
    options.session === undefined
      ? mostRecentSession(folder, cwd, () => true)
      : findSession(options.session, folder, cwd, "prefix");
  if (path === undefined) {
    const what = options.session === undefined ? "in this directory" : `matching '${options.session}'`;
    throw new AgentError("not_found", `No session found ${what}`);
  }
  return createSessions({ cwd, folder, onWriteError: warn, warn }, true).view(path);
}

async function show(record: ChangeRecord, paths: readonly string[], cwd: string): Promise<Printed> {
  const files = await record.list(paths.length === 0 ? {} : { paths });
  if (files.length === 0) return { text: "No changes by the agent.", exitCode: 0 };
  if (paths.length === 0) return { text: files.map((file) => rowOf(file, cwd)).join("\n"), exitCode: 0 };
  const patches: string[] = [];
  for (const file of files) {
    const { before, after } = await record.show({}, file.path);
    const { patch } = await describeChange(shownPath(file.path, cwd), textOf(before), textOf(after));
    patches.push(file.isBinary === true ? rowOf(file, cwd) : patch);
  }
  return { text: patches.join("\n"), exitCode: 0 };
}

interface Undoing {
  conversation: Conversation;
  options: ChangesOptions;
  paths: readonly string[];
  cwd: string;
}

async function undo(record: ChangeRecord, { conversation, options, paths, cwd }: Undoing): Promise<Printed> {
  const last = checkpointsOf(conversation).at(-1);
  const isAll = options.all || paths.length > 0 || last === undefined;
  const selection: Selection = isAll ? (paths.length === 0 ? {} : { paths }) : { from: last.timestamp };
  const files = await record.undo(selection, { merge: options.merge });
  const about = isAll ? "" : ` since "${firstLine(last.text, MAX_MESSAGE)}"`;
  if (files.length === 0) return { text: `The agent has changed nothing${about}.`, exitCode: 0 };
  const isRefused = files.some(({ outcome }) => outcome === "refused");
  return { text: files.map((file) => outcomeRow(file, cwd)).join("\n"), exitCode: isRefused ? 1 : 0 };
}

const SIGNS = { created: "A", deleted: "D", modified: "M" };

function rowOf(
  { kind, path, renamedFrom, added, removed, isBinary, mode, isChangedSince }: FileChange,
  cwd: string,
): string {
  const notes = [
    isBinary === true ? "binary" : `+${added} -${removed}`,
    ...(mode === undefined ? [] : [`mode ${mode.before.toString(8)} → ${mode.after.toString(8)}`]),
    ...(renamedFrom === undefined ? [] : [`was ${shownPath(renamedFrom, cwd)}`]),
    ...(isChangedSince === true ? ["changed since"] : []),
  ];
  return `${SIGNS[kind]} ${shownPath(path, cwd)} (${notes.join(", ")})`;
}

function outcomeRow({ path, outcome, conflicts, reason, canMerge }: UndoneFile, cwd: string): string {
  const name = shownPath(path, cwd);
  if (outcome === "undone") return `Undone: ${name}`;
  if (outcome === "merged") {
    return `Undone in part: ${name}${conflicts === undefined ? "" : ` (left as changed since: ${conflicts})`}`;
  }
  return `Left alone: ${name}. ${reason ?? ""}${canMerge === true ? " --merge undoes the agent's part." : ""}`;
}

/** Returns a path as it is typed in the directory. */
function shownPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}

function textOf(content: ShownContent): string {
  return content.kind === "text" ? content.text : "";
}
