import { sep } from "node:path";
import * as z from "zod";
import { findFile, newFile } from "../find-file.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count } from "../listing.ts";
import { doGit, type GitRepository, repositoryOf } from "./git-api.ts";

/** Stages or unstages files. */
export const stageFiles = defineHostTool({
  name: "vscode_git_stage",
  label: "Stage",
  description: "Stages or unstages files.",
  isReadOnly: false,
  paths: [{ argument: "paths[]", access: "read" }],
  need: "git",
  input: z.object({
    paths: z.array(z.string().min(1)).min(1).max(500),
    unstage: z.boolean().default(false),
  }),
  async run({ paths, unstage }, { folder }) {
    const [first = ""] = paths;
    const repository = await repositoryOf(folder, newFile(first, folder).fsPath);
    await doGit(() => repository.status());
    const files = await Promise.all(paths.map((path) => toStage(path, folder, repository)));
    await doGit(() => (unstage ? repository.revert(files) : repository.add(files)));
    return `${unstage ? "Unstaged" : "Staged"} ${count(files.length, "file")}.`;
  },
});

/** Puts a message into the input box of the source control view. */
export const proposeCommitMessage = defineHostTool({
  name: "vscode_git_commit_message",
  label: "Commit message",
  description: "Puts a commit message in the Source Control view. Doesn't commit.",
  isReadOnly: false,
  paths: [],
  need: "git",
  approval: "edit",
  input: z.object({ message: z.string().min(1).max(20_000) }),
  async run({ message }, { folder }) {
    const { inputBox } = await repositoryOf(folder);
    const before = inputBox.value;
    if (before.trim() !== "" && before !== message) {
      throw new HostToolFailed("The box already has a message from the user, so it wasn't changed. Ask first.");
    }
    inputBox.value = message;
    return "The message is in the box.";
  },
});

/** Commits the staged changes. */
export const commitStaged = defineHostTool({
  name: "vscode_git_commit",
  label: "Commit",
  description: "Commits staged changes.",
  isReadOnly: false,
  need: "git",
  approval: "always",
  input: z.object({ message: z.string().min(1).max(20_000) }),
  async run({ message }, { folder }) {
    const repository = await repositoryOf(folder);
    await doGit(() => repository.status());
    if (repository.state.indexChanges.length === 0) {
      throw new HostToolFailed("Nothing is staged. Stage files with vscode_git_stage first.");
    }
    await doGit(() => repository.commit(message));
    return `Committed ${repository.state.HEAD?.commit?.slice(0, 10) ?? ""}.`;
  },
});

/** Pushes the branch to its upstream. */
export const pushBranch = defineHostTool({
  name: "vscode_git_push",
  label: "Push",
  description: "Pushes the branch to its upstream, never by force.",
  isReadOnly: false,
  need: "git",
  approval: "always",
  input: z.object({}),
  async run(_args, { folder }) {
    const repository = await repositoryOf(folder);
    await doGit(() => repository.push());
    return "Pushed.";
  },
});

/** Returns the path of a file to stage; a deleted file can be staged, too. */
async function toStage(path: string, folder: string, { state }: GitRepository): Promise<string> {
  const { fsPath } = newFile(path, folder);
  const changes = [state.indexChanges, state.workingTreeChanges, state.untrackedChanges ?? [], state.mergeChanges];
  const isChanged = changes.flat().some(({ uri }) => uri.fsPath === fsPath || uri.fsPath.startsWith(`${fsPath}${sep}`));
  return isChanged ? fsPath : (await findFile(path, folder)).fsPath;
}
