import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeLayerFolder, removeLayerFolder } from "../../agent/previews/layer-folders.ts";

const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];

let parent: string;
let deadPid: number;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "tiller-layers-"));
  deadPid = spawnSync("true").pid;
});

afterEach(() => {
  rmSync(parent, { recursive: true, force: true });
});

/** Makes a folder as a preview leaves it when its agent is killed. */
function leave(name: string): string {
  const work = join(parent, name, "0/work/work");
  mkdirSync(work, { recursive: true });
  writeFileSync(join(parent, name, "0/changed.txt"), "x");
  chmodSync(work, 0);
  return name;
}

describe("a folder for layers", () => {
  it("is made where no other folder is, and removed with what nobody may read", async () => {
    const folder = await makeLayerFolder(parent);
    leave(basename(folder));
    await removeLayerFolder(folder);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("takes the place of those that killed agents left", async () => {
    leave(`tiller-preview-${namespace}-${deadPid}-abcdef`);
    const folder = await makeLayerFolder(parent);
    expect(readdirSync(parent)).toEqual([basename(folder)]);
  });

  it("leaves alone what belongs to an agent that runs, to one in another container, or to nobody", async () => {
    const kept = [
      leave(`tiller-preview-${namespace}-${process.pid}-abcdef`),
      leave(`tiller-preview-1-${deadPid}-abcdef`),
      leave(`tiller-preview-${deadPid}`),
      leave(`other-${namespace}-${deadPid}-abcdef`),
    ];
    const folder = await makeLayerFolder(parent);
    expect(readdirSync(parent).toSorted()).toEqual([...kept, basename(folder)].toSorted());
  });
});
