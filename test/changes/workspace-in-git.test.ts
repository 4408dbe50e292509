import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitReader } from "../../agent/changes/git-reader.ts";
import { holdsHome } from "../../agent/changes/within.ts";
import { commitAll, putFiles, RecordedWorkspace, runGit } from "../support/recorded-workspace.ts";
import { temporaryFolder } from "../support/run-tool.ts";

describe("a workspace that is part of a working tree", () => {
  it("is recorded, whichever link opened it", async () => {
    const whole = await RecordedWorkspace.make({ "part/a.txt": "1\n", "part/.gitignore": "out\n" }, { git: true });
    const link = join(await temporaryFolder(), "link");
    await symlink(join(whole.folder, "part"), link);
    await writeFile(join(whole.folder, "part/unclean.txt"), "mine\n");
    const work = await RecordedWorkspace.open(link);
    const files = ["a.txt", "new.txt", "out", "unclean.txt"];
    await work.shell(`for f in ${files.join(" ")}; do echo new > $f; done`, files);
    commitAll(whole.folder);
    await writeFile(join(whole.folder, "part/more.txt"), "2\n");
    commitAll(whole.folder);
    await work.shell("rm more.txt", ["more.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "new\n"],
      ["new.txt", null, "new\n"],
      ["unclean.txt", "mine\n", "new\n"],
      ["more.txt", "2\n", null],
    ]);
  });

  it("is recorded when the link is in the same working tree", async () => {
    const whole = await RecordedWorkspace.make({ "part/a.txt": "1\n" }, { git: true });
    await symlink("part", join(whole.folder, "link"));
    const work = await RecordedWorkspace.open(join(whole.folder, "link"));
    await work.shell("echo 2 > a.txt; echo 2 > b.txt", ["a.txt", "b.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["b.txt", null, "2\n"],
    ]);
  });

  it("includes unclean files beside it, which the editor may save for the agent", async () => {
    const whole = await RecordedWorkspace.make({ "part/a.txt": "1\n", "b.txt": "1\n" }, { git: true });
    await writeFile(join(whole.folder, "b.txt"), "mine\n");
    const work = await RecordedWorkspace.open(join(whole.folder, "part"));
    await work.shell("echo 2 > a.txt; echo 2 > ../b.txt", ["a.txt", "../b.txt"]);
    const before = new Map(work.seen.map(({ change, before }) => [change.path, before]));
    expect(before.get(join(whole.folder, "b.txt"))).toMatchObject({ bytes: Buffer.from("mine\n") });
    expect(before.get(join(whole.folder, "part/a.txt"))).toMatchObject({ bytes: Buffer.from("1\n") });
  });

  it("is the only scanned folder when the home folder is in the working tree", async () => {
    const home = await RecordedWorkspace.make({ "work/a.txt": "1\n", ".profile": "1\n" }, { git: true });
    await putFiles(home.folder, { "secret.txt": "mine\n", "work/unclean.txt": "u\n" });
    const work = await RecordedWorkspace.open(join(home.folder, "work"), home.folder);
    const reader = await GitReader.open(join(home.folder, "work"), home.folder);
    expect(await reader?.unclean()).toEqual([join(home.folder, "work/unclean.txt")]);
    await work.shell("echo 2 | tee a.txt unclean.txt ../.profile ../secret.txt", [
      "a.txt",
      "unclean.txt",
      "../.profile",
      "../secret.txt",
    ]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["unclean.txt", "u\n", "2\n"],
    ]);
  });

  it("leaves Git's own files to Git, also in a repository inside it", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    await work.shell("git init -q inner; echo x > inner/b.txt", ["inner", "inner/.git/HEAD", "inner/b.txt"]);
    expect(work.told()).toEqual([["inner/b.txt", null, "x\n"]]);
  });

  it("does not treat files of a submodule or nested repository as new", async () => {
    const part = await RecordedWorkspace.make({ "a.txt": "1\n", "dir/b.txt": "1\n" }, { git: true });
    const whole = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    runGit(whole.folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part.folder, "part");
    commitAll(whole.folder);
    runGit(whole.folder, "clone", "-q", part.folder, "inner");
    const work = await RecordedWorkspace.open(whole.folder);
    const files = ["inner/dir/b.txt", "part/a.txt"];
    await work.shell("echo 2 | tee part/a.txt inner/dir/b.txt; rm part/dir/b.txt", [...files, "part/dir/b.txt"]);
    await work.shell("echo 3 > part/a.txt", ["part/a.txt"]);
    expect(work.told()).toEqual([
      ["inner/dir/b.txt", { unknown: "notSeen" }, "2\n"],
      ["part/a.txt", { unknown: "notSeen" }, "2\n"],
      ["part/dir/b.txt", { unknown: "notSeen" }, null],
      ["part/a.txt", "2\n", "3\n"],
    ]);
  });

  it("treats new files of a repository as new when the folder around it is in none", async () => {
    const around = await RecordedWorkspace.make({ "inner/a.txt": "1\n" }, { git: false });
    runGit(join(around.folder, "inner"), "init", "-q");
    commitAll(join(around.folder, "inner"));
    const work = await RecordedWorkspace.open(around.folder);
    await work.shell("echo 2 | tee inner/a.txt inner/b.txt", ["inner/a.txt", "inner/b.txt"]);
    expect(work.told()).toEqual([
      ["inner/a.txt", "1\n", "2\n"],
      ["inner/b.txt", null, "2\n"],
    ]);
  });

  it("reports nothing of the target of a link that a command has put in place of a folder", async () => {
    const work = await RecordedWorkspace.make(
      { ".gitignore": "packs\nout\n", "lib/a.txt": "1\n", "other/a.txt": "2\n" },
      { git: true },
    );
    await putFiles(work.folder, { "packs/x/a.txt": "1\n" });
    await work.shell("rm -r lib packs/x; ln -s other lib; ln -s ../other packs/x; mkdir out; echo > out/y", [
      "lib",
      "lib/a.txt",
      "packs/x/a.txt",
      "out/y",
    ]);
    expect(work.told()).toEqual([["lib/a.txt", { unknown: "unreadable" }, "2\n"]]);
  });
});

describe("the home folder", () => {
  it("is in a folder that is the same or above it, through any link", async () => {
    const folder = await temporaryFolder();
    await putFiles(folder, { "home/me/project/a.txt": "" });
    await symlink(join(folder, "home"), join(folder, "users"));
    const home = join(folder, "users/me");
    const asked = ["home", "users/me", "home/me", "home/me/project", "home/m"].map((name) => join(folder, name));
    expect(await Promise.all(asked.map((one) => holdsHome(one, home)))).toEqual([true, true, true, false, false]);
  });
});
