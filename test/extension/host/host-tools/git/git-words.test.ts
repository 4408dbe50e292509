import { expect, it } from "vitest";
import { GitRef, isUntracked, statusWord } from "../../../../../extension/host/host-tools/git/git-words.ts";

it("every file status has a word, even one that Git adds later", () => {
  expect([0, 1, 2, 3, 5, 6, 7, 18, 99].map(statusWord)).toEqual([
    "changed",
    "new",
    "deleted",
    "renamed",
    "changed",
    "deleted",
    "new",
    "changed by both",
    "changed",
  ]);
  expect([{ status: 7 }, { status: 5 }].map(isUntracked)).toEqual([true, false]);
});

it("an option of Git is not accepted as a commit or branch: it could write any file", () => {
  const words = ["HEAD~2", "origin/main", "v1.0-rc", "--output=/etc/hosts", "-O/tmp/order", ""];
  expect(words.filter((word) => GitRef.safeParse(word).success)).toEqual(["HEAD~2", "origin/main", "v1.0-rc"]);
});
