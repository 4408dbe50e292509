import { z } from "zod";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count } from "../listing.ts";
import { findFile } from "../workspace-files.ts";
import { repositoryOf } from "./git-api.ts";

/** Stages files, or takes them back. */
export const stageFiles = defineHostTool({
  name: "vscode_git_stage",
  label: "Stage",
  description: "Stages files, or takes them back out.",
  isReadOnly: false,
  need: "git",
  input: z.object({
    paths: z.array(z.string().min(1)).min(1).max(500),
    unstage: z.boolean().default(false),
  }),
  async run({ paths, unstage }, { folder }) {
    const repository = await repositoryOf(folder);
    const files = await Promise.all(paths.map(async (path) => (await findFile(path, folder)).fsPath));
    await (unstage ? repository.revert(files) : repository.add(files));
    return `${unstage ? "Unstaged" : "Staged"} ${count(files.length, "file")}.`;
  },
});

/** Puts a message into the box of the source control view. */
export const proposeCommitMessage = defineHostTool({
  name: "vscode_git_commit_message",
  label: "Commit message",
  description: "Puts a commit message into the source control view. Commits nothing.",
  isReadOnly: false,
  need: "git",
  approval: "edit",
  input: z.object({ message: z.string().min(1).max(20_000) }),
  async run({ message }, { folder }) {
    const { inputBox } = await repositoryOf(folder);
    const before = inputBox.value;
    if (before.trim() !== "" && before !== message) {
      throw new HostToolFailed("There is a message of the user's in the box, so nothing was put there. Ask first.");
    }
    inputBox.value = message;
    return "The message is in the box.";
  },
});

/** Commits what is staged. */
export const commitStaged = defineHostTool({
  name: "vscode_git_commit",
  label: "Commit",
  description: "Commits what is staged.",
  isReadOnly: false,
  need: "git",
  approval: "always",
  input: z.object({ message: z.string().min(1).max(20_000) }),
  async run({ message }, { folder }) {
    const repository = await repositoryOf(folder);
    if (repository.state.indexChanges.length === 0) {
      throw new HostToolFailed("Nothing is staged. Stage files with vscode_git_stage first.");
    }
    await doGit(() => repository.commit(message));
    return `Committed ${repository.state.HEAD?.commit?.slice(0, 10) ?? ""}.`;
  },
});

/** Sends commits to where the branch comes from. */
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

async function doGit(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new HostToolFailed(`git refused: ${errorMessage(error)}`, { cause: error });
  }
}
