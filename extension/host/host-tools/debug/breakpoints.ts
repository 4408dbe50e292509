import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";

/** Sets and removes breakpoints. */
export const breakpoints = defineHostTool({
  name: "vscode_breakpoints",
  label: "Breakpoints",
  description: "Sets or removes a breakpoint.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "read" }],
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
    if (what === "remove") {
      vscode.debug.removeBreakpoints(there);
      return there.length === 0 ? `There was none at ${describeUri(uri)}:${line}.` : "Removed.";
    }
    const { start } = wholeLines(await vscode.workspace.openTextDocument(uri), line);
    vscode.debug.removeBreakpoints(there);
    const place = new vscode.Location(uri, start);
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place, true, condition, undefined, logMessage)]);
    return `Set at ${describeUri(uri)}:${line}.`;
  },
});

/** Describes all breakpoints, one per line. */
export function describeBreakpoints(): string[] {
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
