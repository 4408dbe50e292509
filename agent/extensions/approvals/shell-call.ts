import { type CallJudgement, neverAllowed } from "./judgement.ts";
import type { Places } from "./places.ts";

/** Judges a shell command by its parts. */
export async function judgeShellCall(
  args: Record<string, unknown>,
  _cwd: string,
  _places: Places,
): Promise<CallJudgement> {
  if (typeof args.command !== "string") return neverAllowed(["cannot be judged: no command is given"]);
  return neverAllowed([]);
}
