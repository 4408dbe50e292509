import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { listText, nextArgument } from "../listing.ts";
import { describeBreakpoints } from "./breakpoints.ts";
import { activeSession, stopSession } from "./live-session.ts";
import { evaluateIn, frameAt, framePlace, readStack, readVariables } from "./stack.ts";
import { startDebugging, waitForStop } from "./until-stopped.ts";

/** Starts and controls the debugger. */
export const debug = defineHostTool({
  name: "vscode_debug",
  label: "Debug",
  description: "Starts a debug configuration, continues, steps, or stops, and returns where the program then is.",
  isReadOnly: false,
  subject: ["what", "configuration"],
  need: "debugger",
  input: z.object({
    what: z.enum(["start", "continue", "stepOver", "stepInto", "stepOut", "stop"]),
    configuration: z.string().optional().describe("for start: its name in launch.json"),
  }),
  async run({ what, configuration }, { folder, token }) {
    if (what === "start") {
      const home = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder));
      const names = configurations(home);
      if (configuration === undefined || !names.includes(configuration)) {
        const wanted = configuration === undefined ? "Give the configuration." : `There is no "${configuration}".`;
        throw new HostToolFailed(`${wanted} launch.json has: ${names.join(", ") || "none"}.`);
      }
      return startDebugging(home, configuration, token);
    }
    const session = await wantSession();
    if (what === "stop") {
      await stopSession(session);
      return "Stopped.";
    }
    const wait = waitForStop(token);
    try {
      await vscode.commands.executeCommand(`workbench.action.debug.${what}`);
      return await wait.stopped;
    } finally {
      wait.end();
    }
  },
});

/** Describes the state of the debugger. */
export const debugState = defineHostTool({
  name: "vscode_debug_state",
  label: "Debug state",
  description: "Lists breakpoints, the call stack at the current position, and a frame's variables.",
  isReadOnly: true,
  need: "debugger",
  input: z.object({ frame: z.int().min(0).default(0).describe("0 is the top"), next: nextArgument }),
  async run({ frame: index, next }) {
    const session = await activeSession();
    const points = describeBreakpoints();
    if (session === undefined) return listText({ title: "No debug session is active.", lines: points, next });
    const title = `Debugging ${session.name}.`;
    const frames = await readStack(session);
    if (frames.length === 0) return listText({ title: `${title} The program is running.`, lines: points, next });
    const { id } = frameAt(frames, index);
    const stack = frames.map((frame, at) => `${at === index ? ">" : " "} ${at}: ${frame.name} ${framePlace(frame)}`);
    const lines = [...stack, ...(await readVariables(session, id)), ...points];
    return listText({ title: `${title} Call stack:`, lines, next });
  },
});

/** Evaluates an expression in the debugged program. */
export const debugEvaluate = defineHostTool({
  name: "vscode_debug_evaluate",
  label: "Evaluate",
  description: "Evaluates an expression at the debugger's current position.",
  isReadOnly: false,
  need: "debugger",
  approval: "always",
  input: z.object({ expression: z.string().min(1), frame: z.int().min(0).default(0) }),
  async run({ expression, frame: index }) {
    const session = await wantSession();
    const { id } = frameAt(await readStack(session), index);
    try {
      return await evaluateIn(session, id, expression);
    } catch (error) {
      if (error instanceof HostToolFailed) throw error;
      throw new HostToolFailed(`The debugger says: ${errorMessage(error)}`, { cause: error });
    }
  },
});

async function wantSession(): Promise<vscode.DebugSession> {
  const session = await activeSession();
  if (session !== undefined) return session;
  const names = configurations(undefined).join(", ");
  throw new HostToolFailed(`No debug session is active. Start one of: ${names || "none is in launch.json"}.`);
}

const Named = z.array(z.object({ name: z.string() }));

/** Returns the names of the configurations and compounds in launch.json. */
function configurations(home: vscode.WorkspaceFolder | undefined): string[] {
  const launch = vscode.workspace.getConfiguration("launch", home);
  return ["configurations", "compounds"].flatMap((list) =>
    (Named.safeParse(launch.get<unknown>(list)).data ?? []).map(({ name }) => name),
  );
}
