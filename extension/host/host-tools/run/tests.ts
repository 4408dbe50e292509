import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import { mayBeTypedIn, showingColumn } from "../showing-column.ts";
import { describeRun } from "./test-failures.ts";

const COMMANDS = {
  file: "testing.runCurrentFile",
  line: "testing.runAtCursor",
  failed: "testing.reRunFailTests",
  last: "testing.reRunLastRun",
  all: "testing.runAll",
} as const;

/** A tool that the editor provides for its own chat. */
const FAILURES_TOOL = "testFailure";

/** Runs tests in the editor's test view. */
export const runTests = defineHostTool({
  name: "vscode_run_tests",
  label: "Run tests",
  description: "Runs tests in the Testing view, and returns which failed.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "read" }],
  subject: ["what", "path", "line"],
  need: "tests",
  input: z.object({
    what: z.enum(["file", "line", "failed", "last", "all"]).default("file"),
    path: z.string().min(1).optional(),
    line: z.int().positive().optional(),
  }),
  async run({ what, path, line }, context) {
    const { token, failed } = context;
    if (what === "file" || what === "line") await showPlace(path, what === "line" ? line : 1, context);
    if (token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing ran.");
    let listener: vscode.Disposable | undefined;
    const cancelled = new Promise<never>((_, reject) => {
      listener = token.onCancellationRequested(() => {
        vscode.commands.executeCommand("testing.cancelRun").then(undefined, failed);
        reject(new HostToolFailed("Canceled; the test run was stopped."));
      });
    });
    try {
      await Promise.race([vscode.commands.executeCommand(COMMANDS[what]), cancelled]);
    } finally {
      listener?.dispose();
    }
    return describeRun(await readFailures(token));
  },
});

/** Reads the editor's report of the failures in its last run; undefined if the editor lacks this tool. */
async function readFailures(token: vscode.CancellationToken): Promise<string | undefined> {
  if (!vscode.lm.tools.some(({ name }) => name === FAILURES_TOOL)) return undefined;
  const options = { input: {}, toolInvocationToken: undefined };
  const { content } = await vscode.lm.invokeTool(FAILURES_TOOL, options, token);
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

async function showPlace(
  path: string | undefined,
  line: number | undefined,
  context: Pick<HostToolContext, "folder" | "isKeyboardInChat">,
): Promise<void> {
  if (path === undefined || line === undefined) throw new HostToolFailed("Give the path, and for line the line.");
  const uri = await findFile(path, context.folder);
  if (mayBeTypedIn(context, uri)) throw inTheWay(uri);
  const viewColumn = showingColumn(context, uri);
  const editor = await vscode.window.showTextDocument(uri, { preserveFocus: true, preview: true, viewColumn });
  const { start } = wholeLines(editor.document, line);
  editor.selection = new vscode.Selection(start, start);
  if (vscode.window.activeTextEditor?.document.uri.toString() !== uri.toString()) {
    throw inTheWay(uri);
  }
}

/** The editor runs the tests of the active file, and the cursor of a typing user must not move. */
function inTheWay(uri: vscode.Uri): HostToolFailed {
  return new HostToolFailed(
    `The user is working in an editor, so ${describeUri(uri)} couldn't be brought to the front. Run these tests with bash, or run all tests.`,
  );
}
