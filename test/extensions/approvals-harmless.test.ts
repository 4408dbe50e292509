import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeShellCall } from "../../agent/extensions/approvals/shell-call.ts";
import {
  type HostileWorkspace,
  hostileTemplate,
  hostileWorkspace,
  removeWorkspace,
} from "../support/hostile-workspace.ts";

/** Of this many commands ... */
const OF = 128;
/** ... so many may be asked about needlessly. */
const MAX_ASKED = 8;

const commands = readFileSync(new URL("../fixtures/approvals/harmless.txt", import.meta.url), "utf8")
  .split("\n")
  .slice(3)
  .filter((line) => line !== "" && !line.startsWith("## "))
  .map((line) => line.replaceAll("⏎", "\n"));

let template = "";
let workspace: HostileWorkspace;
beforeAll(() => {
  template = hostileTemplate();
  workspace = hostileWorkspace(template, ["everyday"]);
});
afterAll(() => {
  removeWorkspace(workspace.root);
  removeWorkspace(template);
});

describe("a harmless command", () => {
  it("is in a list that is long enough", () => {
    expect(commands.length).toBeGreaterThanOrEqual(130);
    expect(new Set(commands).size).toBe(commands.length);
  });

  it("is free in auto-edit, but for very few", async () => {
    const asked: string[] = [];
    for (const command of commands) {
      const { isFree } = await judgeShellCall({ command }, { cwd: workspace.cwd, places: workspace.places });
      if (!isFree) asked.push(command);
    }
    const most = Math.floor((commands.length * MAX_ASKED) / OF);
    expect(asked.length, `asked about:\n${asked.join("\n")}\n`).toBeLessThanOrEqual(most);
  });
});
