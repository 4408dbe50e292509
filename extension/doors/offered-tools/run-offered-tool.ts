import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import { t } from "../../../webview/l10n.ts";
import { workspaceFolders } from "../../editor/workspace-files.ts";
import { displayPath } from "../../editor/workspace-path.ts";
import { type HostTool, type HostToolContext, HostToolFailed, textResult } from "../../host/host-tools/host-tool.ts";
import { withOfferedNames } from "./offered-tools.ts";

const WithPath = z.object({ path: z.string() });

/**
 * Runs one of our tools for another agent of the editor. Errors are returned as text, for its model to read.
 * @throws CancellationError when the call was cancelled.
 */
export async function runOfferedTool(
  tool: HostTool,
  input: unknown,
  token: vscode.CancellationToken,
  log: vscode.LogOutputChannel,
): Promise<vscode.LanguageModelToolResult> {
  const { name } = tool.definition;
  const result = await run(tool, input, token, (error) => log.error(`${name} failed: ${errorMessage(error)}`));
  if (token.isCancellationRequested) throw new vscode.CancellationError();
  return toToolResult(result);
}

/** Returns the question before a call that reads outside the workspace, or undefined when nothing is asked. */
export function prepareOfferedTool(input: unknown): vscode.PreparedToolInvocation {
  const path = WithPath.safeParse(input).data?.path;
  if (path === undefined || !isAbsolute(path) || displayPath(path, workspaceFolders()) !== path) return {};
  return {
    confirmationMessages: {
      title: t("Allow reading outside the workspace?"),
      message: t("Another agent wants to read {0}.", path),
    },
  };
}

async function run(
  tool: HostTool,
  input: unknown,
  token: vscode.CancellationToken,
  failed: (error: unknown) => void,
): Promise<ToolResultPayload> {
  try {
    return await tool.run(input, contextOf(tool, token, failed));
  } catch (error) {
    if (!(error instanceof HostToolFailed)) failed(error);
    return textResult(errorMessage(error));
  }
}

/** Returns a context without a conversation: it cannot ask the user, and records nothing, since the tools only read. */
function contextOf(
  { definition }: HostTool,
  token: vscode.CancellationToken,
  failed: (error: unknown) => void,
): HostToolContext {
  const [folder] = workspaceFolders();
  if (folder === undefined) throw new HostToolFailed("No folder is open. Ask the user to open one.");
  return {
    session: "",
    folder: folder.path,
    toolCallId: randomUUID(),
    toolName: definition.name,
    token,
    update: () => {},
    isKeyboardInChat: () => false,
    ask: async () => ({ type: "cancelled" }),
    recordChanges: (_, work) => work(),
    failed,
  };
}

function toToolResult({ content }: ToolResultPayload): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult(
    content.map((block) =>
      block.type === "text"
        ? new vscode.LanguageModelTextPart(withOfferedNames(block.text))
        : vscode.LanguageModelDataPart.image(Buffer.from(block.data, "base64"), block.mimeType),
    ),
  );
}
