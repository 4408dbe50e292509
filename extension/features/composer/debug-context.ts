import * as vscode from "vscode";
import * as z from "zod";
import { noLaterThan } from "../../../agent/util/no-later-than.ts";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { debugBlock } from "../../core/mentions/context-blocks.ts";
import { debugReport } from "../../core/mentions/debug-report.ts";
import { activeSession } from "../../host/host-tools/debug/live-session.ts";
import { NothingThere } from "./nothing-there.ts";

const MAX_FRAMES = 20;
const MAX_SCOPES = 4;
const MAX_VARIABLES = 60;
/** Maximum time to wait for a debugger's answer, in milliseconds. */
const ANSWER_LIMIT_MS = 5_000;

const Frames = z.object({
  stackFrames: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      line: z.number(),
      source: z.object({ name: z.string().optional(), path: z.string().optional() }).optional(),
    }),
  ),
});
const Scopes = z.object({
  scopes: z.array(z.object({ name: z.string(), variablesReference: z.number(), expensive: z.boolean().optional() })),
});
const Variables = z.object({
  variables: z.array(z.object({ name: z.string(), value: z.string(), type: z.string().optional() })),
});

/** Reads the state of the debugger: the top of the stack, and the variables of the selected frame. @throws NothingThere with the reason. */
export async function readDebugger(): Promise<ContextBlock> {
  const item = vscode.debug.activeStackItem;
  if (item === undefined) {
    const isRunning = (await activeSession()) !== undefined;
    throw new NothingThere(isRunning ? t("The debugger isn't paused.") : t("No debug session is active."));
  }
  const { session, threadId } = item;
  const silent = () => new NothingThere(t("The debugger isn't responding."));
  const ask = (command: string, args: object): Promise<unknown> =>
    noLaterThan(session.customRequest(command, args), ANSWER_LIMIT_MS, silent);
  const { stackFrames } = Frames.parse(await ask("stackTrace", { threadId, startFrame: 0, levels: MAX_FRAMES }));
  const frameId = item instanceof vscode.DebugStackFrame ? item.frameId : stackFrames[0]?.id;
  if (frameId === undefined) throw new NothingThere(t("The debugger isn't paused."));
  const { scopes } = Scopes.parse(await ask("scopes", { frameId }));
  const shown = scopes.filter(({ expensive }) => expensive !== true).slice(0, MAX_SCOPES);
  const filled: { name: string; variables: { name: string; value: string; type?: string | undefined }[] }[] = [];
  for (const { name, variablesReference } of shown) {
    const answer = await ask("variables", { variablesReference, start: 0, count: MAX_VARIABLES + 1 });
    filled.push({ name, variables: Variables.parse(answer).variables });
  }
  const at = stackFrames.findIndex(({ id }) => id === frameId);
  return debugBlock(
    session.name,
    debugReport({ frames: stackFrames, at, scopes: filled, maxVariables: MAX_VARIABLES }),
  );
}
