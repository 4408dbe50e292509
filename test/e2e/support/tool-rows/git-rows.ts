import { asked, bad, good, type ToolStep } from "./tool-row.ts";

/** Git in a repository with one commit, a changed `run.js`, a deleted `old.txt`, a new `fresh.txt` and no remote. */
export const GIT_ROWS: readonly ToolStep[] = [
  [
    good("vscode_git", { what: "status" }, "Branch main:", "changed: run.js", "deleted: old.txt", "new: fresh.txt"),
    good("vscode_git", { what: "diff", path: "run.js" }, "Changes since the last commit:", "+// changed"),
    good("vscode_git", { what: "diff", path: "old.txt" }, "Changes since the last commit:", "deleted file"),
    good("vscode_git", { what: "diff" }, "Changes since the last commit, without 1 new file that Git doesn't track"),
    good("vscode_git", { what: "diff", path: "fresh.txt" }, "without this file, which Git doesn't track: none."),
    good("vscode_git", { what: "staged" }, "What is staged: none."),
    good("vscode_git", { what: "log" }, "1 commit, the latest first:", ": first"),
    bad("vscode_git", { what: "blame" }, "Give the path of the file to blame."),
    bad("vscode_git", { what: "diff", path: "run.js", ref: "no-such-ref" }, "git refused: ", "no-such-ref"),
    bad("vscode_git_stage", { paths: ["gone.txt"] }, "No such file: "),
    bad("vscode_git_commit_message", { message: "" }, "Too small: expected string", "at message"),
    asked(bad("vscode_git_commit", { message: "Change" }, "Nothing is staged. Stage files with vscode_git_stage")),
  ],
  [
    good("vscode_git_stage", { paths: ["run.js", "old.txt"] }, "Staged 2 files."),
    good("vscode_git_commit_message", { message: "Change what runs" }, "The message is in the box."),
  ],
  [
    good("vscode_git", { what: "staged", path: "run.js" }, "What is staged:", "+// changed"),
    good("vscode_git", { what: "diff", path: "run.js" }, "Changes since the last commit:", "+// changed"),
    good("vscode_git", { what: "status" }, "staged, deleted: old.txt"),
    good("vscode_git", { what: "diff" }, "Changes since the last commit", "+// changed", "deleted file"),
    bad("vscode_git_commit_message", { message: "Another" }, "The box already has a message from the user"),
  ],
  [asked(good("vscode_git_commit", { message: "Change what runs" }, /^Committed [0-9a-f]{10}\.$/))],
  [asked(bad("vscode_git_push", {}, "git refused: "))],
];

/** The same once the branch has a place to go to. */
export const PUSH_ROWS: readonly ToolStep[] = [[asked(good("vscode_git_push", {}, "Pushed."))]];
