import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeShellCall } from "../../../agent/bundled/approvals/shell-call.ts";
import { hostileTemplate, hostileWorkspace, removeWorkspace } from "../../support/hostile-workspace.ts";

/** Of this many commands ... */
const OF = 128;
/** ... so many may be asked about needlessly. */
const MAX_ASKED = 8;

const commands = readFileSync(new URL("../../fixtures/approvals/harmless.txt", import.meta.url), "utf8")
  .split("\n")
  .slice(3)
  .filter((line) => line !== "" && !line.startsWith("## "))
  .map((line) => line.replaceAll("⏎", "\n"));

let template = "";
beforeAll(() => {
  template = hostileTemplate();
});
afterAll(() => removeWorkspace(template));

/** The commands that are asked about. @param plants what the workspace is made of. */
async function asked(plants: readonly string[]): Promise<string[]> {
  const { root, cwd, places } = hostileWorkspace(template, plants);
  const found: string[] = [];
  for (const command of commands) {
    const { isFree } = await judgeShellCall({ command }, { cwd, places });
    if (!isFree) found.push(command);
  }
  removeWorkspace(root);
  return found;
}

describe("a harmless command", () => {
  it("has a list of examples that is long enough", () => {
    expect(commands.length).toBeGreaterThanOrEqual(130);
    expect(new Set(commands).size).toBe(commands.length);
  });

  it.each([
    ["is free in auto-edit, but for very few", ["everyday"]],
    ["is free, but for very few, also where a file with secrets lies beside", ["everyday", "dotenv"]],
  ])("%s", async (_title, plants) => {
    const found = await asked(plants);
    const most = Math.floor((commands.length * MAX_ASKED) / OF);
    expect(found.length, `asked about:\n${found.join("\n")}\n`).toBeLessThanOrEqual(most);
  });
});
