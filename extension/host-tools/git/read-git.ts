import * as z from "zod";
import { defineHostTool, type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { describeUri, findFile } from "../workspace-files.ts";
import { doGit, type GitChange, type GitRepository, repositoryOf } from "./git-api.ts";

const MAX_COMMITS = 200;

const pathArgument = z.string().min(1).optional();

/** What git knows of the workspace. */
export const readGit = defineHostTool({
  name: "vscode_git",
  label: "Read git",
  description: "Tells status, diff against the last commit or a ref, what is staged, blame, or log.",
  isReadOnly: true,
  need: "git",
  input: z.object({
    what: z.enum(["status", "diff", "staged", "blame", "log"]),
    path: pathArgument,
    ref: z.string().min(1).optional().describe("for diff: commit or branch"),
    next: nextArgument,
  }),
  async run(wanted, context) {
    const repository = await repositoryOf(context.folder);
    const { title, lines } = await doGit(() => read(repository, wanted, context));
    return listText({ title, lines, next: wanted.next });
  },
});

interface Wanted {
  readonly what: "status" | "diff" | "staged" | "blame" | "log";
  readonly path?: string | undefined;
  readonly ref?: string | undefined;
}

async function read(
  repository: GitRepository,
  { what, path, ref }: Wanted,
  { folder }: Pick<HostToolContext, "folder">,
): Promise<{ title: string; lines: string[] }> {
  const file = path === undefined ? undefined : (await findFile(path, folder)).fsPath;
  switch (what) {
    case "status":
      await repository.status();
      return status(repository);
    case "diff":
      return patch(await diffOf(repository, file, ref), "Changes since the last commit:");
    case "staged":
      return patch(
        file === undefined ? await repository.diff(true) : await repository.diffIndexWithHEAD(file),
        "What is staged:",
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
      return { title: `${count(lines.length, "commit")}, the latest first:`, lines };
    }
  }
}

async function diffOf(repository: GitRepository, file: string | undefined, ref: string | undefined): Promise<string> {
  if (file === undefined) {
    if (ref !== undefined) throw new HostToolFailed("Give the path of a file to compare with ref, or use git in bash.");
    return `${await repository.diff(true)}${await repository.diff(false)}`;
  }
  return ref === undefined ? repository.diffWithHEAD(file) : repository.diffWith(ref, file);
}

function patch(text: string, title: string): { title: string; lines: string[] } {
  const body = text.trimEnd();
  return body === "" ? { title: "There is no difference.", lines: [] } : { title, lines: body.split("\n") };
}

function status({ state }: GitRepository): { title: string; lines: string[] } {
  const { HEAD, indexChanges, workingTreeChanges, untrackedChanges = [], mergeChanges } = state;
  const place = HEAD === undefined ? "no commit yet" : (HEAD.name ?? `detached at ${HEAD.commit?.slice(0, 10)}`);
  const lead = [HEAD?.ahead ? `${HEAD.ahead} ahead` : "", HEAD?.behind ? `${HEAD.behind} behind` : ""];
  const notes = lead.filter((note) => note !== "").join(", ");
  const lines = [
    ...group("in conflict", mergeChanges),
    ...group("staged", indexChanges),
    ...group("changed", workingTreeChanges),
    ...group("new", untrackedChanges),
  ];
  const branch = `Branch ${place}${notes === "" ? "" : ` (${notes})`}`;
  return { title: lines.length === 0 ? `${branch}; nothing has changed.` : `${branch}:`, lines };
}

function group(name: string, changes: readonly GitChange[]): string[] {
  return changes.map(({ uri }) => `${name}: ${describeUri(uri)}`);
}
