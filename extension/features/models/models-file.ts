import { dirname } from "node:path";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { NewModel } from "../../core/setup/add-model.ts";
import { readSetting } from "../../editor/settings.ts";
import { modelsPath } from "./models-path.ts";

/** Returns the initial contents of the file, which have no effect until lines are uncommented. */
function example(): string {
  return `{
  // ${t("Add models from your own servers, or change built-in ones. The agent reads this file when it starts.")}
  "providers": {
    // "ollama": {
    //   "baseUrl": "http://127.0.0.1:11434/v1",
    //   "api": "openai-completions",
    //   "models": [{ "id": "gpt-oss:20b", "contextWindow": 131072 }]
    // },
    // "openrouter": {
    //   "baseUrl": "https://openrouter.ai/api/v1",
    //   "api": "openai-completions",
    //   // ${t("The name of an environment variable or of a stored key")}
    //   "apiKey": "OPENROUTER_API_KEY",
    //   "models": [{ "id": "z-ai/glm-4.6", "contextWindow": 200000 }]
    // }
  }
}
`;
}

/**
 * Adds a model to the user's file, which is created if needed. @param folder the folder of the agent.
 * @throws Error as `openModelsFile` does, or when the file has mistakes; it is then opened.
 */
export async function addToModelsFile(folder: string, model: NewModel): Promise<void> {
  requireOwnAgent();
  const file = fileOf(folder);
  const { addModel } = await import("../../core/setup/add-model.ts");
  const before = (await isThere(file)) ? new TextDecoder().decode(await vscode.workspace.fs.readFile(file)) : example();
  try {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(dirname(file.fsPath)));
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(addModel(before, model)));
  } catch (error) {
    await openModelsFile(folder);
    throw error;
  }
}

/**
 * Opens the file with the user's own models; creates it with an example if needed.
 * @param folder the folder of the agent.
 * @throws Error of the file system, or when the agent is started by a custom command, whose files are unknown here.
 */
export async function openModelsFile(folder: string): Promise<void> {
  requireOwnAgent();
  const file = fileOf(folder);
  if (!(await isThere(file))) {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(dirname(file.fsPath)));
    await vscode.workspace.fs.writeFile(file, Buffer.from(example()));
  }
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, "jsonc"));
}

/** @throws Error when the agent is started by a custom command, whose files are unknown here. */
function requireOwnAgent(): void {
  const command = readSetting("agent.command");
  if (command === "") return;
  throw new Error(
    t('The agent runs through "{0}". Edit models.json in ~/.tiller/agent on the machine where it runs.', command),
  );
}

/** Calls `changed` when the user saves the file. @param folder returns the folder of the agent. */
export function watchModelsFile(folder: () => string, changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidSaveTextDocument(({ uri }) => {
    // Compared as URIs, since the editor writes drive letters in its own way.
    if (uri.toString() === fileOf(folder()).toString()) changed();
  });
}

/** Returns the file. The settings may give the agent a folder of its own, which takes precedence over that of the environment. */
function fileOf(folder: string): vscode.Uri {
  return vscode.Uri.file(modelsPath(folder, { ...process.env, ...readSetting("agent.env") }));
}

async function isThere(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return false;
    throw error;
  }
}
