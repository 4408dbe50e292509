import type { ToolResult } from "../../extensions/author.ts";
import type { CallProgress } from "./connection.ts";

/** The minimum time between two progress updates; any in between are dropped. */
const SPACING_MS = 100;

/** Creates the listener that shows the progress of one call. */
export function progressReporter(onUpdate: (partial: ToolResult) => void): (progress: CallProgress) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (now - lastAt < SPACING_MS) return;
    lastAt = now;
    onUpdate({ content: [{ type: "text", text: progressText(progress) }] });
  };
}

function progressText({ progress, total, message }: CallProgress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${message} (${count})` : `Progress: ${count}`;
}
