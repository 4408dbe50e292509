import * as vscode from "vscode";
import { z } from "zod";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, listText } from "../listing.ts";
import { describeUri, findFile } from "../workspace-files.ts";

const MAX_FRAMES = 30;
const MAX_VARIABLES = 100;
const MAX_VALUE_CHARS = 300;
/** A debugger stops, or has ended, within this time, or goes on; in milliseconds. */
const STOP_WAIT_MS = 10_000;

/** Sets and removes breakpoints. */
export const breakpoints = defineHostTool({
  name: "vscode_breakpoints",
  label: "Breakpoints",
  description: "Sets or removes a breakpoint.",
  isReadOnly: false,
  need: "debugger",
  approval: "edit",
  input: z.object({
    what: z.enum(["set", "remove"]),
    path: z.string().min(1),
    line: z.int().positive().describe("from 1"),
    condition: z.string().optional(),
    logMessage: z.string().optional().describe("printed instead of stopping; may hold {expressions}"),
  }),
  async run({ what, path, line, condition, logMessage }, { folder }) {
    const uri = await findFile(path, folder);
    const there = sourceBreakpoints().filter(
      ({ location }) => location.uri.toString() === uri.toString() && location.range.start.line === line - 1,
    );
    vscode.debug.removeBreakpoints(there);
    if (what === "remove") return there.length === 0 ? "There was none." : "Removed.";
    const place = new vscode.Location(uri, new vscode.Position(line - 1, 0));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place, true, condition, undefined, logMessage)]);
    return `Set at ${describeUri(uri)}:${line}.`;
  },
});

/** Starts and steers the debugger. */
export const debug = defineHostTool({
  name: "vscode_debug",
  label: "Debug",
  description: "Starts a debug configuration, goes on, steps or stops, and tells where the program stands then.",
  isReadOnly: false,
  need: "debugger",
  input: z.object({
    what: z.enum(["start", "continue", "stepOver", "stepInto", "stepOut", "stop"]),
    configuration: z.string().optional().describe("for start: its name in launch.json"),
  }),
  async run({ what, configuration }, { folder, token }) {
    if (what === "start") {
      if (configuration === undefined)
        throw new HostToolFailed(`Give the configuration. There are: ${configurations()}`);
      const home = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder));
      const stopped = untilStopped(token);
      if (!(await vscode.debug.startDebugging(home, configuration))) {
        throw new HostToolFailed(`"${configuration}" could not be started. There are: ${configurations()}`);
      }
      return stopped;
    }
    const session = activeSession();
    if (what === "stop") {
      await vscode.debug.stopDebugging(session);
      return "Stopped.";
    }
    const stopped = untilStopped(token);
    await vscode.commands.executeCommand(`workbench.action.debug.${what}`);
    return stopped;
  },
});

/** Where the debugger stands. */
export const debugState = defineHostTool({
  name: "vscode_debug_state",
  label: "Debug state",
  description: "Lists breakpoints, the call stack where the debugger stands, and the variables of a frame.",
  isReadOnly: true,
  need: "debugger",
  input: z.object({ frame: z.int().min(0).default(0).describe("0 is the top") }),
  async run({ frame: index }) {
    const session = vscode.debug.activeDebugSession;
    const points = describeBreakpoints();
    const title = session === undefined ? "Nothing is being debugged." : `Debugging ${session.name}.`;
    if (session === undefined) return listText({ title, lines: points, next: undefined });
    const { frames } = await readStack(session);
    const frame = frames[index];
    if (frame === undefined) {
      return listText({ title: `${title} The program runs.`, lines: points, next: undefined });
    }
    const stack = frames.map(({ name, source, line }, at) => {
      return `${at === index ? ">" : " "} ${at}: ${name} ${source?.path ?? ""}:${line}`;
    });
    const lines = [...stack, ...(await readVariables(session, frame.id)), ...points];
    return listText({ title: `${title} Call stack:`, lines, next: undefined });
  },
});

/** Evaluates an expression in the program that is debugged. */
export const debugEvaluate = defineHostTool({
  name: "vscode_debug_evaluate",
  label: "Evaluate",
  description: "Evaluates an expression where the debugger stands.",
  isReadOnly: false,
  need: "debugger",
  approval: "always",
  input: z.object({ expression: z.string().min(1), frame: z.int().min(0).default(0) }),
  async run({ expression, frame: index }) {
    const session = activeSession();
    const { frames } = await readStack(session);
    const frameId = frames[index]?.id;
    const answer: unknown = await session.customRequest("evaluate", { expression, frameId, context: "repl" });
    return Evaluated.parse(answer).result;
  },
});

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

function activeSession(): vscode.DebugSession {
  const { activeDebugSession } = vscode.debug;
  if (activeDebugSession !== undefined) return activeDebugSession;
  throw new HostToolFailed(`Nothing is being debugged. Start one of: ${configurations()}`);
}

function configurations(): string {
  const listed = vscode.workspace.getConfiguration("launch").get<unknown>("configurations");
  const names = z.array(z.object({ name: z.string() })).safeParse(listed).data ?? [];
  return names.length === 0 ? "none in launch.json" : names.map(({ name }) => name).join(", ");
}

/** The frames of the first thread that stands still; none when all run. */
async function readStack(session: vscode.DebugSession): Promise<{ frames: z.infer<typeof Frame>[] }> {
  const { threads } = Threads.parse(await session.customRequest("threads"));
  for (const { id } of threads) {
    try {
      const stack: unknown = await session.customRequest("stackTrace", {
        threadId: id,
        startFrame: 0,
        levels: MAX_FRAMES,
      });
      const { stackFrames } = Stack.parse(stack);
      if (stackFrames.length > 0) return { frames: stackFrames };
    } catch {
      // A thread that runs has no stack to tell; another may.
    }
  }
  return { frames: [] };
}

async function readVariables(session: vscode.DebugSession, frameId: number): Promise<string[]> {
  const { scopes } = Scopes.parse(await session.customRequest("scopes", { frameId }));
  const lines: string[] = [];
  for (const { name, variablesReference, expensive } of scopes) {
    if (expensive === true) continue;
    const { variables } = Variables.parse(await session.customRequest("variables", { variablesReference }));
    lines.push(`${name}, ${count(variables.length, "variable")}:`);
    for (const { name: variable, value, type } of variables.slice(0, MAX_VARIABLES)) {
      const cut = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS)}…` : value;
      lines.push(`  ${variable}${type === undefined ? "" : `: ${type}`} = ${cut}`);
    }
  }
  return lines;
}

/** Resolves with where the debugger stands once it does, or with what happened instead. */
function untilStopped(token: vscode.CancellationToken): Promise<string> {
  return new Promise((resolve) => {
    const end = (text: string) => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      resolve(text);
    };
    const timer = setTimeout(() => end("It runs and has not stopped for 10 seconds."), STOP_WAIT_MS);
    const subscriptions = [
      vscode.debug.onDidChangeActiveStackItem((item) => {
        if (!(item instanceof vscode.DebugStackFrame)) return;
        void readStack(item.session).then(
          ({ frames: [top] }) =>
            end(
              top === undefined ? "It stopped." : `It stands in ${top.name} at ${top.source?.path ?? "?"}:${top.line}.`,
            ),
          () => end("It stopped."),
        );
      }),
      vscode.debug.onDidTerminateDebugSession(() => end("The program has ended.")),
      token.onCancellationRequested(() => end("Cancelled; the program goes on.")),
    ];
  });
}

function describeBreakpoints(): string[] {
  return sourceBreakpoints().map(({ location, enabled, condition, logMessage }) => {
    const notes = [
      enabled ? "" : "off",
      condition === undefined ? "" : `if ${condition}`,
      logMessage === undefined ? "" : `logs ${logMessage}`,
    ];
    const shown = notes.filter((note) => note !== "").join(", ");
    const place = `${describeUri(location.uri)}:${location.range.start.line + 1}`;
    return `breakpoint ${place}${shown === "" ? "" : ` (${shown})`}`;
  });
}

function sourceBreakpoints(): vscode.SourceBreakpoint[] {
  return vscode.debug.breakpoints.filter((one) => one instanceof vscode.SourceBreakpoint);
}
