import { errorMessage } from "../../agent/protocol/errors.ts";
import type { FromPanel } from "../../webview/protocol/from-panel.ts";
import type { ToPanel } from "../../webview/protocol/to-panel.ts";
import type { Chat } from "./chat.ts";
import { readEarlier } from "./earlier-messages.ts";

/** Gives a page what was said before what it has; a failure is told where it was asked for. */
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
