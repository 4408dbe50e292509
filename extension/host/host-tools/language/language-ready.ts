import * as vscode from "vscode";
import * as z from "zod";
import { inTime } from "./ask-language.ts";

/** Maximum time to wait for a service that starts with the first file of its language, in milliseconds. */
const MAX_WAIT_MS = 15_000;
/** Interval at which the service is asked, since the editor does not tell when it has started, in milliseconds. */
const INTERVAL_MS = 200;

const Manifest = z.object({ activationEvents: z.array(z.string()) });

/** By language, the wait for its service, settled once that is over. */
const ready = new Map<string, Promise<void>>();

/** Opens a file, without showing it, for a query to its language service. @throws HostToolFailed when the call is cancelled. */
export async function openForLanguage(uri: vscode.Uri, token: vscode.CancellationToken): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  await languageReady(document, token);
  return document;
}

/**
 * Waits until the service of a document's language has started. It starts with the first open file of its language; until then the editor
 * returns no results. Returns at once for languages that activate no extension.
 */
async function languageReady(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
  const { languageId } = document;
  const services = servicesFor(languageId);
  if (services.length === 0 || document.getText().trim() === "") return;
  const waiting = ready.get(languageId) ?? untilAnswered(document, services);
  ready.set(languageId, waiting);
  await inTime(waiting, token);
}

/** True when an extension starts with the files of a language, as language services do. */
export function hasService(languageId: string): boolean {
  return servicesFor(languageId).length > 0;
}

function servicesFor(languageId: string): readonly vscode.Extension<unknown>[] {
  return vscode.extensions.all.filter(({ packageJSON }) => isFor(packageJSON, languageId));
}

function isFor(manifest: unknown, languageId: string): boolean {
  const { activationEvents = [] } = Manifest.safeParse(manifest).data ?? {};
  return activationEvents.includes(`onLanguage:${languageId}`);
}

async function untilAnswered(
  { uri }: vscode.TextDocument,
  services: readonly vscode.Extension<unknown>[],
): Promise<void> {
  // One that cannot start reports it itself.
  await Promise.allSettled(services.map((service) => Promise.resolve(service.activate())));
  const endAt = Date.now() + MAX_WAIT_MS;
  while (Date.now() < endAt) {
    const symbols = await Promise.resolve(
      vscode.commands.executeCommand<unknown[] | undefined>("vscode.executeDocumentSymbolProvider", uri),
    ).catch(() => undefined); // a failing service tells the next caller
    if (symbols !== undefined && symbols.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
