import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitAll, putFiles, RecordedWorkspace, runGit } from "../support/recorded-workspace.ts";
import { temporaryFolder } from "../support/run-tool.ts";

describe("a command in a Git working tree", () => {
  it("that commits is distinguished from an earlier checkout", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    const commit = "git -c user.name=T -c user.email=t@example.com commit -qam second";
    await work.shell(`echo 2 > a.txt; ${commit}; echo 3 > a.txt`, ["a.txt", ".git/index"]);
    expect(work.told()).toEqual([["a.txt", "1\n", "3\n"]]);
  });

  it("that creates a folder has changed no file", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    await work.shell("mkdir made && echo x > made/b.txt", ["made", "made/b.txt"]);
    expect(work.told()).toEqual([["made/b.txt", null, "x\n"]]);
  });

  it("that deletes a folder has changed all files in it, although the editor reports only the folder", async () => {
    const work = await RecordedWorkspace.make(
      { ".gitignore": "out\n", "dir/a.txt": "1\n", "dir/sub/b.txt": "1\n", "dir2/c.txt": "1\n", "dir/out/d": "1\n" },
      { git: true },
    );
    await putFiles(work.folder, { "dir/sub/b.txt": "mine\n", "dir/new.txt": "mine\n" });
    const again = await RecordedWorkspace.open(work.folder);
    await again.shell("rm -r dir", ["dir"]);
    await again.shell("mkdir dir; echo 2 > dir/a.txt", ["dir", "dir/a.txt"]);
    await again.shell("rm -r dir", ["dir"]);
    expect(again.told()).toEqual([
      ["dir/a.txt", "1\n", null],
      ["dir/new.txt", "mine\n", null],
      ["dir/sub/b.txt", "mine\n", null],
      ["dir/a.txt", null, "2\n"],
      ["dir/a.txt", "2\n", null],
    ]);
  });

  it.each([
    ["packed branches", ["pack-refs", "--all"]],
    ["no branch", ["checkout", "-q", "--detach"]],
  ])("is compared with the checked-out files, also with %s", async (_, args) => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    runGit(work.folder, ...args);
    await work.shell("echo 2 > a.txt", ["a.txt"]);
    expect(work.told()).toEqual([["a.txt", "1\n", "2\n"]]);
  });

  it("leaves out files that Git ignores", async () => {
    const work = await RecordedWorkspace.make({ ".gitignore": "out/\n" }, { git: true });
    await work.shell("mkdir out; echo x > out/x; echo y > y", ["out/x", "y"]);
    expect(work.told()).toEqual([["y", null, "y\n"]]);
  });

  it("is recorded with several files, whatever their names and contents", async () => {
    const work = await RecordedWorkspace.make(
      { "a b.txt": "x blob 3\nab\n", "ö.txt": "", "dir/c": "1" },
      { git: true },
    );
    await work.shell("echo 2 > 'a b.txt'; echo 2 > ö.txt; rm -r dir; echo 2 > dir", [
      "a b.txt",
      "ö.txt",
      "dir",
      "dir/c",
    ]);
    expect(work.told()).toEqual([
      ["a b.txt", "x blob 3\nab\n", "2\n"],
      ["dir", null, "2\n"],
      ["dir/c", "1", null],
      ["ö.txt", "", "2\n"],
    ]);
  });

  it("restores files as they were on disk, not as Git stores them", async () => {
    const work = await RecordedWorkspace.make({ ".gitattributes": "*.txt text eol=crlf\n" }, { git: true });
    await writeFile(join(work.folder, "a.txt"), "1\r\n2\r\n");
    runGit(work.folder, "add", ".");
    runGit(work.folder, "commit", "-qm", "lines");
    await work.shell("printf 'x' > a.txt", ["a.txt"]);
    expect(work.told()).toEqual([["a.txt", "1\r\n2\r\n", "x"]]);
  });
});

describe("files that Git stores in another form", () => {
  it("are restored with others, whatever they contain", async () => {
    const work = await RecordedWorkspace.make({ ".gitattributes": "*.txt eol=crlf\n" }, { git: true });
    const looksLikeAnAnswer = "0123456789012345678901234567890123456789 blob 3\r\nabc\r\ntiller..x missing\r\n";
    await putFiles(work.folder, {
      "a.txt": "1\r\n2\r\n",
      "b c.txt": looksLikeAnAnswer,
      "dir/d.txt": "\r\n",
      plain: "x\n",
      "z.txt": "",
    });
    commitAll(work.folder);
    const names = ["a.txt", "b c.txt", "dir/d.txt", "plain", "z.txt"];
    await work.shell("for f in a.txt 'b c.txt' dir/d.txt plain z.txt; do echo new > \"$f\"; done", names);
    expect(work.told()).toEqual([
      ["a.txt", "1\r\n2\r\n", "new\n"],
      ["b c.txt", looksLikeAnAnswer, "new\n"],
      ["dir/d.txt", "\r\n", "new\n"],
      ["plain", "x\n", "new\n"],
      ["z.txt", "", "new\n"],
    ]);
  });

  it("are restored through their filter, and a failing filter is reported for them only", async () => {
    const attributes = ".gitattributes";
    const work = await RecordedWorkspace.make({ [attributes]: "*.up filter=up\n*.bad filter=bad\n" }, { git: true });
    runGit(work.folder, "config", "filter.up.smudge", "tr a-z A-Z");
    runGit(work.folder, "config", "filter.up.clean", "tr A-Z a-z");
    await putFiles(work.folder, { "a.up": "SHOUTED\n", "b.bad": "b\n", "c.txt": "c\n" });
    commitAll(work.folder);
    runGit(work.folder, "config", "filter.bad.smudge", "false");
    runGit(work.folder, "config", "filter.bad.required", "true");
    await work.shell("echo new | tee a.up b.bad c.txt", ["a.up", "b.bad", "c.txt"]);
    expect(work.told()).toEqual([
      ["a.up", "SHOUTED\n", "new\n"],
      ["b.bad", { unknown: "unreadable" }, "new\n"],
      ["c.txt", "c\n", "new\n"],
    ]);
  });

  it("are restored as they were on disk before the command changed the attributes", async () => {
    const work = await RecordedWorkspace.make(
      { "lf/a.txt": "1\n", "crlf/.gitattributes": "*.txt eol=crlf\n" },
      { git: true },
    );
    await putFiles(work.folder, { "crlf/a.txt": "1\r\n", "crlf/deep/b.txt": "2\r\n" });
    commitAll(work.folder);
    const change = "rm crlf/.gitattributes; echo '* text eol=crlf' > lf/.gitattributes; ";
    await work.shell(`${change} echo new | tee lf/a.txt crlf/a.txt crlf/deep/b.txt`, [
      "crlf/.gitattributes",
      "crlf/a.txt",
      "crlf/deep/b.txt",
      "lf/.gitattributes",
      "lf/a.txt",
    ]);
    expect(work.told()).toEqual([
      ["crlf/.gitattributes", "*.txt eol=crlf\n", null],
      ["crlf/a.txt", "1\r\n", "new\n"],
      ["crlf/deep/b.txt", "2\r\n", "new\n"],
      ["lf/.gitattributes", null, "* text eol=crlf\n"],
      ["lf/a.txt", "1\n", "new\n"],
    ]);
  });

  it("are restored by attributes that were never committed, also in a linked working tree", async () => {
    const main = await RecordedWorkspace.make({ "a.txt": "1\n", ".gitattributes": "" }, { git: true });
    const linked = join(await temporaryFolder(), "linked");
    runGit(main.folder, "worktree", "add", "-q", linked);
    await putFiles(linked, { ".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\r\n" });
    runGit(linked, "add", "a.txt"); // it is clean: git has it with other ends of lines
    const work = await RecordedWorkspace.open(linked);
    await work.shell("echo > .gitattributes; echo new > a.txt", [".gitattributes", "a.txt"]);
    expect(work.told()).toEqual([
      [".gitattributes", "*.txt text eol=crlf\n", "\n"],
      ["a.txt", "1\r\n", "new\n"],
    ]);
  });

  it("are restored by Git's settings, without attributes", async () => {
    const work = await RecordedWorkspace.make({}, { git: false });
    runGit(work.folder, "init", "-q");
    runGit(work.folder, "config", "core.autocrlf", "true");
    await putFiles(work.folder, { "a.txt": "1\r\n" });
    commitAll(work.folder);
    const again = await RecordedWorkspace.open(work.folder);
    await again.shell("echo 2 > a.txt", ["a.txt"]);
    expect(again.told()).toEqual([["a.txt", "1\r\n", "2\n"]]);
  });
});

describe("a command in an unusual Git repository", () => {
  it("is recorded with file names that contain newlines, spaces and returns", async () => {
    const names = ["a\nb.txt", " c", "d\r", "\te f", "g\th", 'q"u:o', "-n"];
    const files = Object.fromEntries(names.map((name, index) => [name, `${index}\n`]));
    const work = await RecordedWorkspace.make(files, { git: true });
    await work.call(undefined, () => work.byHand(Object.fromEntries(names.map((name) => [name, "new\n"]))));
    expect(new Map(work.told().map(([name, before]) => [name, before]))).toEqual(new Map(Object.entries(files)));
  });

  it("is recorded after the repository was packed, and after a commit between two commands", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "b.txt": "1\n" }, { git: true });
    await work.shell("echo 2 > a.txt", ["a.txt"]);
    commitAll(work.folder);
    runGit(work.folder, "gc", "-q", "--prune=now");
    await work.shell("echo 3 | tee a.txt b.txt", ["a.txt", "b.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["a.txt", "2\n", "3\n"],
      ["b.txt", "1\n", "3\n"],
    ]);
  });

  it("can pack the repository, rename a file and change the case of another", async () => {
    const work = await RecordedWorkspace.make({ "old.txt": "1\n", "case.txt": "2\n" }, { git: true });
    await work.shell("git gc -q --prune=now; git mv old.txt new.txt; git mv case.txt Case.txt", [
      "old.txt",
      "new.txt",
      "case.txt",
      "Case.txt",
    ]);
    expect(work.told()).toEqual([
      ["Case.txt", null, "2\n"],
      ["case.txt", "2\n", null],
      ["new.txt", null, "1\n"],
      ["old.txt", "1\n", null],
    ]);
  });

  it("that creates a link is undone by deleting it, and one that redirects a link is not undone", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "b.txt": "2\n" }, { git: true });
    await work.shell("ln -s a.txt link", ["link"]);
    commitAll(work.folder);
    const again = await RecordedWorkspace.open(work.folder);
    await again.shell("ln -sf b.txt link", ["link"]);
    await again.shell("ln -sf a.txt link", ["link"]);
    await again.shell("ln -sf a.txt link", ["link"]);
    const unreadable = { unknown: "unreadable" };
    expect(work.told()).toEqual([["link", null, "1\n"]]);
    expect(again.told()).toEqual([
      ["link", unreadable, "2\n"],
      ["link", unreadable, "1\n"],
    ]);
  });

  it("has no commit to compare with before the first one", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: false });
    runGit(work.folder, "init", "-q");
    const again = await RecordedWorkspace.open(work.folder);
    await again.shell("echo 2 > a.txt; echo n > b.txt", ["a.txt", "b.txt"]);
    expect(again.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["b.txt", null, "n\n"],
    ]);
  });

  it("that deletes a link or replaces it by a file has not changed a file with the link target's content", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "dir/short": "a.txt" }, { git: true });
    for (const name of ["dir/link", "gone", ":(top) b", "new\nline"]) await symlink("a.txt", join(work.folder, name));
    commitAll(work.folder);
    const again = await RecordedWorkspace.open(work.folder);
    const names = [":(top) b", "dir/link", "dir/short", "gone", "new\nline"];
    await again.shell("rm gone dir/* ':(top) b' new*; echo 2 > dir/link", names);
    const unreadable = { unknown: "unreadable" };
    expect(again.told()).toEqual([
      [":(top) b", unreadable, null],
      ["dir/link", unreadable, "2\n"],
      ["dir/short", "a.txt", null],
      ["gone", unreadable, null],
      ["new\nline", unreadable, null],
    ]);
  });

  it("in a linked working tree is compared with the checkout there", async () => {
    const main = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    const linked = join(await temporaryFolder(), "linked");
    runGit(main.folder, "worktree", "add", "-q", "-b", "other", linked);
    await writeFile(join(linked, "a.txt"), "2\n");
    commitAll(linked);
    const work = await RecordedWorkspace.open(linked);
    await work.shell("echo 3 > a.txt", ["a.txt"]);
    commitAll(linked);
    await work.shell("git checkout -q --detach; echo 4 > a.txt", ["a.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "2\n", "3\n"],
      ["a.txt", "3\n", "4\n"],
    ]);
  });

  it("is recorded in a submodule that is the workspace; a submodule inside a workspace is not recorded as a file", async () => {
    const part = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    const whole = await RecordedWorkspace.make({ "b.txt": "1\n" }, { git: true });
    runGit(whole.folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part.folder, "part");
    commitAll(whole.folder);
    const inside = await RecordedWorkspace.open(join(whole.folder, "part"));
    await inside.shell("echo 2 > a.txt", ["a.txt"]);
    expect(inside.told()).toEqual([["a.txt", "1\n", "2\n"]]);
    await whole.shell("echo 2 > b.txt", ["part", "b.txt"]);
    expect(whole.told()).toEqual([["b.txt", "1\n", "2\n"]]);
  });

  it("is recorded without locks, hooks or file monitors", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    const hook = join(work.folder, ".git/hooks/monitor");
    await writeFile(hook, `#!/bin/sh\ntouch "${work.storage}/ran"\n`, { mode: 0o755 });
    runGit(work.folder, "config", "core.fsmonitor", hook);
    await writeFile(join(work.folder, ".git/index.lock"), "");
    const again = await RecordedWorkspace.open(work.folder);
    await again.shell("echo 2 > a.txt; echo n > n.txt", ["a.txt", "n.txt"]);
    expect(again.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["n.txt", null, "n\n"],
    ]);
    expect(existsSync(join(work.storage, "ran"))).toBe(false);
  });

  it("reports a file that is too large, and loses none of the others", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "big.bin": "x".repeat(34_000_000) }, { git: true });
    await work.shell("echo 2 | tee a.txt big.bin", ["a.txt", "big.bin"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["big.bin", { unknown: "tooLarge" }, "2\n"],
    ]);
  });
});
