import type * as vscode from "vscode";

/** What breaks a call off, and the token by which the call learns of it. */
export interface Cancellation {
  readonly token: vscode.CancellationToken;
  cancel(): void;
}

/** A cancellation as the editor's own parts understand it, made without the editor. Listeners that come late are told all the same. */
export function createCancellation(): Cancellation {
  const listeners = new Set<() => void>();
  let isCancelled = false;
  const token: vscode.CancellationToken = {
    get isCancellationRequested() {
      return isCancelled;
    },
    onCancellationRequested(listener, thisArgument) {
      const tell = () => void listener.call(thisArgument, undefined);
      if (isCancelled) queueMicrotask(tell);
      else listeners.add(tell);
      return { dispose: () => listeners.delete(tell) };
    },
  };
  return {
    token,
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      for (const tell of [...listeners]) tell();
      listeners.clear();
    },
  };
}
