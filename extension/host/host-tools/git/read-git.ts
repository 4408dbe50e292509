import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile, findFolder, newFile } from "../find-file.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { doGit, type GitChange, type GitRepository, repositoryOf } from "./git-api.ts";
import { GitRef, isUntracked, statusWord } from "./git-words.ts";

const MAX_COMMITS = 200;

const pathArgument = z.string().min(1).optional();

/** Reads status, diff, blame and log of the workspace's git repositories. */
export const readGit = defineHostTool({
  name: "vscode_git",
  label: "Read git",
  description: "Returns the status, the diff against the last commit or a ref, staged changes, blame, or log.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  need: "git",
  input: z.object({
    what: z.enum(["status", "diff", "staged", "blame", "log"]),
    path: pathArgument,
    ref: GitRef.optional().describe("for diff: commit or branch"),
    next: nextArgument,
  }),
  async run(wanted, context) {
    const place = wanted.path === undefined ? undefined : await placeInGit(wanted.path, context.folder);
    const repository = await repositoryOf(context.folder, place);
    const file = place === repository.rootUri.fsPath ? undefined : place;
    const { title, lines } = await doGit(() => read(repository, wanted, file));
    return listText({ title, lines, next: wanted.next });
  },
});

interface Wanted {
  readonly what: "status" | "diff" | "staged" | "blame" | "log";
  /** The path as the model gave it. */
  readonly path?: string | undefined;
  readonly ref?: string | undefined;
}

/** Returns the path of a file or folder, or of a deleted file. */
async function placeInGit(path: string, folder: string): Promise<string> {
  const found = (await findFolder(path, folder)) ?? (await findFile(path, folder).catch(() => newFile(path, folder)));
  return found.fsPath;
}

async function read(
  repository: GitRepository,
  { what, path, ref }: Wanted,
  file: string | undefined,
): Promise<{ title: string; lines: string[] }> {
  switch (what) {
    case "status":
      await repository.status();
      return status(repository);
    case "diff":
      await repository.status();
      return patch(await diffOf(repository, file, ref), titleOfDiff(repository, file, ref));
    case "staged":
      return patch(
        file === undefined ? await repository.diff(true) : await repository.diffIndexWithHEAD(file),
        "What is staged",
      );
    case "blame":
      if (file === undefined) throw new HostToolFailed("Give the path of the file to blame.");
      return {
        title: `Who changed the lines of ${path}:`,
        lines: (await repository.blame(file)).trimEnd().split("\n"),
      };
    case "log": {
      const commits = await repository.log({ maxEntries: MAX_COMMITS, ...(file === undefined ? {} : { path: file }) });
      const lines = commits.map(({ hash, authorDate, authorName, message }) => {
        const date = authorDate?.toISOString().slice(0, 10) ?? "";
        return `${hash.slice(0, 10)} ${date} ${authorName ?? ""}: ${message.split("\n")[0] ?? ""}`;
      });
      const number = lines.length < MAX_COMMITS ? count(lines.length, "commit") : `The last ${MAX_COMMITS} commits`;
      return { title: `${number}, the latest first:`, lines };
    }
  }
}

async function diffOf(repository: GitRepository, file: string | undefined, ref: string | undefined): Promise<string> {
  // Without a ref, the git extension compares a file with the index.
  if (file !== undefined) return repository.diffWith(ref ?? "HEAD", file);
  if (ref !== undefined) throw new HostToolFailed("Give the path of a file to compare with ref, or use git in bash.");
  return `${await repository.diff(true)}${await repository.diff(false)}`;
}

/** Describes a diff and what it cannot show. */
function titleOfDiff({ state }: GitRepository, file: string | undefined, ref: string | undefined): string {
  const since = `Changes since ${ref ?? "the last commit"}`;
  const changes = [...state.workingTreeChanges, ...(state.untrackedChanges ?? [])].filter(isUntracked);
  const untracked = new Set(changes.map(({ uri }) => uri.fsPath));
  if (file !== undefined) return untracked.has(file) ? `${since}, without this file, which Git doesn't track` : since;
  const fresh = untracked.size;
  return fresh === 0 ? since : `${since}, without ${count(fresh, "new file")} that Git doesn't track: see status`;
}

function patch(text: string, title: string): { title: string; lines: string[] } {
  const body = text.trimEnd();
  return body === "" ? { title: `${title}: none.`, lines: [] } : { title: `${title}:`, lines: body.split("\n") };
}

function status({ state }: GitRepository): { title: string; lines: string[] } {
  const { HEAD, indexChanges, workingTreeChanges, untrackedChanges = [], mergeChanges } = state;
  const place = HEAD === undefined ? "no commit yet" : (HEAD.name ?? `detached at ${HEAD.commit?.slice(0, 10)}`);
  const lead = [HEAD?.ahead ? `${HEAD.ahead} ahead` : "", HEAD?.behind ? `${HEAD.behind} behind` : ""];
  const notes = lead.filter((note) => note !== "").join(", ");
  const lines = [
    ...mergeChanges.map((change) => `in conflict, ${describeChange(change)}`),
    ...indexChanges.map((change) => `staged, ${describeChange(change)}`),
    ...workingTreeChanges.map(describeChange),
    ...untrackedChanges.map(describeChange),
  ];
  const branch = `Branch ${place}${notes === "" ? "" : ` (${notes})`}`;
  return { title: lines.length === 0 ? `${branch}; nothing has changed.` : `${branch}:`, lines };
}

function describeChange({ uri, originalUri, renameUri, status: number }: GitChange): string {
  const from = renameUri === undefined ? "" : ` (was ${describeUri(originalUri)})`;
  return `${statusWord(number)}: ${describeUri(renameUri ?? uri)}${from}`;
}
