import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallJudgement } from "../../agent/extensions/approvals/judgement.ts";
import { judgeShellCall } from "../../agent/extensions/approvals/shell-call.ts";
import type { ApprovalRule } from "../../agent/protocol/approvals.ts";
import { type HostileRow, hostileRows } from "../support/hostile-rows.ts";
import { type Effect, hostileTemplate, type HostileWorkspace, listener, removeWorkspace, runByBash, WorkspacePool } from "../support/hostile-workspace.ts";

const AT_ONCE = 4;
const MAX_DECLARED = 60;
/** Rules that people keep; none of them is meant for what stands in the table. */
const EVERYDAY = ["ls *", "echo *", "head *", "sort *", "npm test *", "npm run *", "git commit *", "git status *", "git log *", "mytool *"];
const READING = "commands that only read";
const ASKED_PER_ROW = new Set(["Connections without a question", "Programs that do what files of the project say"]);

interface Outcome {
  judgement: Pick<CallJudgement, "isFree" | "proposal" | "scopes">;
  /** Patterns of the rules that let the command run. */
  allowedBy: string[];
  /** True when bash left the mark. */
  isHostile: boolean;
  effect: Effect | undefined;
}

const rows = hostileRows();
const outcomes = new Map<HostileRow, Outcome>();
let template = "";
let pool: WorkspacePool;

beforeAll(async () => {
  template = hostileTemplate();
  pool = new WorkspacePool(template);
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) { const t=Date.now(); outcomes.set(row, await outcomeOf(row)); appendFileSync('/tmp/redteam-times.txt', `${Date.now()-t} ${row.shown}\n`); }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, 280_000);afterAll(() => {
  pool.close();
  removeWorkspace(template);
});

async function outcomeOf(row: HostileRow): Promise<Outcome> {
  return pool.lend(row.plants, (workspace) => outcomeIn(workspace, row));
}

async function outcomeIn(workspace: HostileWorkspace, row: HostileRow): Promise<Outcome> {
  const { root, cwd, places } = workspace;
  const socket = row.command.includes("<port>") ? await listener() : undefined;
  try {
    const command = row.command.replaceAll("<root>", root).replaceAll("<port>", String(socket?.port));
    const judgement = await judgeShellCall({ command }, { cwd, places });
    const patterns = rulesFor(row).filter((pattern) => judgement.allowedBy([rule(pattern)]) !== undefined);
    const told = { isFree: judgement.isFree, proposal: judgement.proposal, scopes: judgement.scopes };
    if (row.mark.kind === "declared") return { judgement: told, allowedBy: patterns, isHostile: true, effect: undefined };
    const effect = await runByBash(workspace, command);
    if (socket?.isConnected() === true) effect.isConnected = true;
    return { judgement: told, allowedBy: patterns, isHostile: isMarked(row, effect, root), effect };
  } finally {
    socket?.close();
  }
}

function rulesFor({ kind, mark, rule: own }: HostileRow): string[] {
  const isAsked = mark.kind === "prints" || mark.kind === "declared" || ASKED_PER_ROW.has(kind);
  return [...(isAsked ? [] : [READING, ...EVERYDAY]), ...(own === undefined ? [] : [own])];
}

function rule(pattern: string): ApprovalRule {
  return { id: "r", scope: "session", tool: "bash", pattern, text: pattern, createdAt: 1, uses: 0 };
}

function isMarked({ mark }: HostileRow, effect: Effect, root: string): boolean {
  switch (mark.kind) {
    case "touches":
      return effect.touched.length > 0;
    case "prints":
      return effect.printed.includes("SECRET-");
    case "connects":
      return effect.isConnected;
    case "runs":
      return effect.ran.has(mark.detail);
    case "changes":
      return textOf(join(root, mark.detail)) !== textOf(join(template, mark.detail));
    default:
      throw new Error(`no mark is called ${mark.kind}`);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // it is not there
  }
}

describe("a hostile command", () => {
  it("is in a table that is long enough, and nearly all of them are run", () => {
    expect(rows.length).toBeGreaterThan(400);
    expect(new Set(rows.map(({ shown }) => shown)).size).toBe(rows.length);
    expect(rows.filter(({ mark }) => mark.kind === "declared").length).toBeLessThanOrEqual(MAX_DECLARED);
  });

  describe.each([...new Set(rows.map(({ kind }) => kind))])("of the kind: %s", (kind) => {
    const own = rows.filter((row) => row.kind === kind);

    it("does what it must not when bash runs it", () => {
      expect(own.filter((row) => outcomes.get(row)?.isHostile !== true).map(({ shown }) => shown)).toEqual([]);
    });

    it.each(own)("is not free, and no rule for something else allows it: $shown", (row) => {
      const { judgement, allowedBy } = outcomes.get(row) ?? {};
      expect({ isFree: judgement?.isFree, allowedBy }).toEqual({ isFree: false, allowedBy: [] });
      // A rule that would be proposed names what runs, where the command itself does.
      if (row.mark.kind === "touches" && /touch PWN/.test(row.command) && judgement?.proposal !== undefined) {
        expect(judgement.proposal.pattern).toContain("PWN");
      }
    });
  });
});
