import * as vscode from "vscode";
import type { Chats } from "./chats.ts";
import type { QuietQuestion } from "./quiet-runs.ts";

/**
 * Asks the model of the focused chat for a text, and shows the progress with a button that cancels.
 * @returns undefined when the user canceled. Rejects as `QuietRuns.ask` does.
 */
export async function askQuietly(
  title: string,
  question: Omit<QuietQuestion, "beside" | "signal">,
  { quiet, focused }: Chats,
): Promise<string | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_, token) => {
    const canceled = new AbortController();
    token.onCancellationRequested(() => canceled.abort());
    try {
      return await quiet.ask({ ...question, beside: focused, signal: canceled.signal });
    } catch (error) {
      if (canceled.signal.aborted) return undefined;
      throw error;
    }
  });
}
