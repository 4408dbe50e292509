import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { HostToolFailed } from "../host-tool.ts";
import { count } from "../listing.ts";
import { askDebugger } from "./ask-debugger.ts";

const MAX_FRAMES = 30;
const MAX_VARIABLES = 100;
const MAX_VALUE_CHARS = 300;
/** Maximum time to evaluate an expression, in milliseconds. */
const EVALUATE_WAIT_MS = 60_000;

const Frame = z.object({
  id: z.number(),
  name: z.string(),
  line: z.number(),
  source: z.object({ path: z.string().optional() }).optional(),
});
const Threads = z.object({ threads: z.array(z.object({ id: z.number() })) });
const Stack = z.object({ stackFrames: z.array(Frame) });
const Scopes = z.object({
  scopes: z.array(z.object({ name: z.string(), variablesReference: z.number(), expensive: z.boolean().optional() })),
});
const Variables = z.object({
  variables: z.array(z.object({ name: z.string(), value: z.string(), type: z.string().optional() })),
});
const Evaluated = z.object({ result: z.string() });

type StackFrame = z.infer<typeof Frame>;

/** Reads the frames of the first paused thread, the innermost first; none when all threads run or the program is about to end. */
export async function readStack(session: vscode.DebugSession): Promise<readonly StackFrame[]> {
  const threads = await askDebugger(session, "threads").then(
    (answer) => Threads.safeParse(answer).data?.threads ?? [],
    (error: unknown) => {
      if (error instanceof HostToolFailed) throw error;
      return []; // an ending session no longer answers
    },
  );
  for (const { id } of threads) {
    try {
      const stack = await askDebugger(session, "stackTrace", { threadId: id, startFrame: 0, levels: MAX_FRAMES });
      const { stackFrames } = Stack.parse(stack);
      if (stackFrames.length > 0) return stackFrames;
    } catch (error) {
      if (error instanceof HostToolFailed) throw error;
      // A running thread has no stack; another one may.
    }
  }
  return [];
}

/** Returns a frame of a stack. @throws HostToolFailed when there is no frame with that index. */
export function frameAt(frames: readonly StackFrame[], index: number): StackFrame {
  const frame = frames[index];
  if (frame !== undefined) return frame;
  throw new HostToolFailed(
    frames.length === 0
      ? "The program is running, so it has no frame. Set a breakpoint, or wait until it stops."
      : `There's no frame ${index}; the last is ${frames.length - 1}.`,
  );
}

/** Formats the place of a frame. */
export function framePlace({ source, line }: StackFrame): string {
  return `${sourceName(source?.path)}:${line}`;
}

/** Names a source file. Debuggers in a remote window give URIs instead of paths. */
function sourceName(path: string | undefined): string {
  if (path === undefined) return "?";
  const isAddress = /^[a-z][\w+.-]+:\/\//i.test(path);
  if (!isAddress) return path.startsWith("<") ? path : describeUri(vscode.Uri.file(path));
  const uri = vscode.Uri.parse(path);
  return describeUri(uri.scheme === "vscode-remote" ? vscode.Uri.file(uri.path) : uri);
}

/** Describes the variables of a frame by scope, one per line. */
export async function readVariables(session: vscode.DebugSession, frameId: number): Promise<string[]> {
  const { scopes } = Scopes.parse(await askDebugger(session, "scopes", { frameId }));
  const lines: string[] = [];
  for (const { name, variablesReference, expensive } of scopes) {
    if (expensive === true) continue;
    const { variables } = Variables.parse(await askDebugger(session, "variables", { variablesReference }));
    lines.push(`${name}, ${count(variables.length, "variable")}:`);
    for (const { name: variable, value, type } of variables.slice(0, MAX_VARIABLES)) {
      lines.push(`  ${variable}${type === undefined ? "" : `: ${type}`} = ${inLine(value)}`);
    }
    if (variables.length > MAX_VARIABLES) lines.push(`  (${variables.length - MAX_VARIABLES} more)`);
  }
  return lines;
}

function inLine(value: string): string {
  const line = value.split(/\s*\n\s*/).join(" ");
  return line.length > MAX_VALUE_CHARS ? `${line.slice(0, MAX_VALUE_CHARS)}…` : line;
}

/** Evaluates an expression in a frame. */
export async function evaluateIn(session: vscode.DebugSession, frameId: number, expression: string): Promise<string> {
  const asked = { expression, frameId, context: "repl" };
  return Evaluated.parse(await askDebugger(session, "evaluate", asked, EVALUATE_WAIT_MS)).result;
}
