import { errorMessage } from "../../agent/protocol/errors.ts";
import type { FromPanel } from "../../webview/protocol/from-panel.ts";
import type { ToPanel } from "../../webview/protocol/to-panel.ts";
import type { Chat } from "./chat.ts";
import { readEarlier } from "./earlier-messages.ts";

/** Sends a page the items before those that it has; a failure is reported where they were requested. */
export async function sendEarlier(
  { request, cursor }: Extract<FromPanel, { type: "readEarlier" }>,
  page: { readonly chat: Chat; post(message: ToPanel): void },
): Promise<void> {
  try {
    const { items, next } = await readEarlier(page.chat, cursor);
    page.post({ type: "earlier", request, items: [...items], next });
  } catch (error) {
    page.post({ type: "noEarlier", request, reason: errorMessage(error) });
  }
}
