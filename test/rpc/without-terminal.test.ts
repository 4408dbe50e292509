import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const REPOSITORY = `git init -q . && git config user.email a@b.c && git config user.name A
echo 1 > file && git add file && git commit -qm first && echo 2 > file && git commit -qam second && echo 3 > file && git add file`;

let agent: AgentUnderTest;
let agentDir = "";

beforeAll(async () => {
  agentDir = mkdtempSync(join(tmpdir(), "tiller-agent-"));
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ shellEnv: { VISUAL: "echo mine", ADDED: "yes" } }));
  const endless = { EDITOR: "sleep 600", GIT_EDITOR: "sleep 600", PAGER: "sleep 600", CI: "" };
  agent = new AgentUnderTest({ agentDir, env: endless });
  expect((await run(REPOSITORY)).exitCode).toBe(0);
});

afterAll(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true });
});

async function run(command: string): Promise<{ output: string; exitCode: unknown }> {
  const { output, exitCode } = await agent.call("bash", { command });
  return { output: String(output), exitCode };
}

describe("a command without a terminal", () => {
  it("fails at once when it would open an editor for a message, and says what to give instead", async () => {
    const { output, exitCode } = await run("git commit");
    expect(exitCode).toBe(1);
    expect(output).toContain(
      "There's no terminal, so no editor can open. Give the message in the command: -m 'message' or -F file",
    );
  });

  it("fails at once when it would open an editor for a list of commits, and leaves the branch as it is", async () => {
    const { output, exitCode } = await run("git stash -q && git rebase -i HEAD~1; s=$?; git stash pop -q; exit $s");
    expect(exitCode).toBe(1);
    expect(output).toContain("Set GIT_SEQUENCE_EDITOR to a command that edits the list");
    expect((await run("git log --format=%s")).output).toBe("second\nfirst\n");
  });

  it("keeps a message that is there already", async () => {
    expect((await run("git commit -q --amend && git log --format=%s")).output).toBe("second\nfirst\n");
  });

  it("prints its output without a pager, and does not run as in continuous integration", async () => {
    expect((await run("git --paginate log --format=%s")).output).toBe("second\nfirst\n");
    expect((await run("echo $PAGER $EDITOR $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND [$CI]")).output).toBe(
      "cat false 0 noninteractive []\n",
    );
  });

  it("has what the user sets in the settings", async () => {
    expect((await run("echo $VISUAL $ADDED")).output).toBe("echo mine yes\n");
  });

  it.each(["read answer < /dev/tty", "cat > /dev/null; read answer"])(
    "fails at once when it waits for an answer: %s",
    async (command) => {
      expect((await run(command)).exitCode).not.toBe(0);
    },
  );
});
