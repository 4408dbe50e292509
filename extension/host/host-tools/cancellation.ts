import type * as vscode from "vscode";

/** Cancels a call through its token. */
export interface Cancellation {
  readonly token: vscode.CancellationToken;
  cancel(): void;
}

/** Creates a cancellation without loading `vscode`. A listener added after the cancellation is called, too. */
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
