import * as vscode from "vscode";
import * as z from "zod";
import { inTime } from "./ask-language.ts";

/** A service that starts with the first file of its language knows of it after so long at the latest, in milliseconds. */
const MAX_WAIT_MS = 15_000;
/** The editor tells nobody when a service has started, so it is asked in this interval, in milliseconds. */
const INTERVAL_MS = 200;

const Manifest = z.object({ activationEvents: z.array(z.string()) });

/** What is known by language: a wait for its service, or that it is over. */
const ready = new Map<string, Promise<void>>();

/** Opens a file, without showing it, whose language service is about to be asked. @throws HostToolFailed when the call is cancelled. */
export async function openForLanguage(uri: vscode.Uri, token: vscode.CancellationToken): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  await languageReady(document, token);
  return document;
}

/**
 * Waits until the service of a document's language has started. It does with the first file of its language that is opened, and until then the
 * editor says that there is nothing to say. Languages that no extension waits for have no service to wait for.
 */
async function languageReady(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
  const { languageId } = document;
  const services = vscode.extensions.all.filter(({ packageJSON }) => isFor(packageJSON, languageId));
  if (services.length === 0 || document.getText().trim() === "") return;
  const waiting = ready.get(languageId) ?? untilAnswered(document, services);
  ready.set(languageId, waiting);
  await inTime(waiting, token);
}

function isFor(manifest: unknown, languageId: string): boolean {
  const { activationEvents = [] } = Manifest.safeParse(manifest).data ?? {};
  return activationEvents.includes(`onLanguage:${languageId}`);
}

async function untilAnswered(
  { uri }: vscode.TextDocument,
  services: readonly vscode.Extension<unknown>[],
): Promise<void> {
  // One that cannot start says so itself.
  await Promise.allSettled(services.map((service) => Promise.resolve(service.activate())));
  const endAt = Date.now() + MAX_WAIT_MS;
  while (Date.now() < endAt) {
    const symbols = await Promise.resolve(
      vscode.commands.executeCommand<unknown[] | undefined>("vscode.executeDocumentSymbolProvider", uri),
    ).catch(() => undefined); // a service that fails tells whoever asks it next
    if (symbols !== undefined && symbols.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
