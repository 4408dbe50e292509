import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallJudgement } from "../../agent/bundled/approvals/judgement.ts";
import { judgeShellCall } from "../../agent/bundled/approvals/shell-call.ts";
import type { ApprovalRule } from "../../agent/protocol/approvals.ts";
import type { HostileRow } from "./hostile-rows.ts";
import {
  type Effect,
  type HostileWorkspace,
  hostileTemplate,
  listener,
  removeWorkspace,
  runByBash,
  WorkspacePool,
} from "./hostile-workspace.ts";

const AT_ONCE = 4;
/** Rules that people keep; none of them is meant for what stands in the table. */
const EVERYDAY = ["ls *", "echo *", "npm test *", "npm run *", "git commit *", "git status *", "mytool *"];
const READING = "commands that only read";
/** Kinds whose rows are what they seem to be: a rule for the command as it stands may allow them. */
const ASKED_PER_ROW = new Set(["Connections without a question", "Programs that do what files of the project say"]);

/** How a row of the table was judged, and what it did. */
export interface Outcome {
  judgement: Pick<CallJudgement, "isFree" | "proposal" | "scopes">;
  /** Patterns of the rules that let the command run. */
  allowedBy: string[];
  /** True when bash left the mark. */
  isHostile: boolean;
  effect: Effect | undefined;
}

/** Judges rows, and has bash run them, each in a workspace of its own. @param isRun false to judge only. */
export async function hostileOutcomes(rows: readonly HostileRow[], isRun = true): Promise<Map<HostileRow, Outcome>> {
  const outcomes = new Map<HostileRow, Outcome>();
  const template = hostileTemplate();
  const pool = new WorkspacePool(template);
  const waiting = [...rows].reverse();
  const work = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      const own = row;
      outcomes.set(own, await pool.use(own.plants, (workspace) => outcomeIn(workspace, { row: own, isRun })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  pool.close();
  removeWorkspace(template);
  return outcomes;
}

interface Trial {
  row: HostileRow;
  isRun: boolean;
}

async function outcomeIn(workspace: HostileWorkspace, { row, isRun }: Trial): Promise<Outcome> {
  const { root, cwd, places } = workspace;
  const socket = row.command.includes("<port>") ? await listener() : undefined;
  try {
    const command = row.command.replaceAll("<root>", root).replaceAll("<port>", String(socket?.port));
    const { isFree, proposal, scopes, allowedBy } = await judgeShellCall({ command }, { cwd, places });
    const judged = {
      judgement: { isFree, proposal, scopes },
      allowedBy: rulesFor(row).filter((one) => allowedBy([rule(one)]) !== undefined),
    };
    if (row.mark.kind === "declared" || !isRun) return { ...judged, isHostile: true, effect: undefined };
    const before = new Map(row.mark.detail.split(" or ").map((path) => [path, textOf(join(root, path))]));
    const effect = await runByBash(workspace, command);
    if ((await socket?.isConnected()) === true) effect.isConnected = true;
    return { ...judged, isHostile: isMarked(row, effect, { root, before }), effect };
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

function isMarked(
  { mark }: HostileRow,
  effect: Effect,
  { root, before }: { root: string; before: ReadonlyMap<string, string | undefined> },
): boolean {
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
      return mark.detail.split(" or ").some((path) => textOf(join(root, path)) !== before.get(path));
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
