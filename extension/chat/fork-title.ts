import type { SessionSummary } from "../../agent/protocol/history.ts";
import { nextTitle, titleWords } from "../core/mentions/title-words.ts";
import type { Chat } from "./chat.ts";

/** Number of sessions whose titles are compared, the latest ones. */
const MAX_COMPARED = 500;

/** Returns the name of a session, or the first words of its first message; undefined without either. */
export function titleOfSummary({
  name,
  firstMessage,
}: Pick<SessionSummary, "name" | "firstMessage">): string | undefined {
  return name || titleWords(firstMessage ?? "");
}

/**
 * Names the chat's session, which continues another one, with that one's title and the next free number. Leaves a title that no other
 * session has.
 * @param firstMessage the message that was just sent, in case the session had none before.
 */
export async function numberFork(chat: Chat, firstMessage = ""): Promise<void> {
  const { session } = chat;
  if (session.isTemporary) return;
  const { sessions } = await chat.request("list_sessions", { limit: MAX_COMPARED });
  const isOwn = ({ path, id }: SessionSummary) => path === session.file || id === session.key;
  const own = sessions.find(isOwn);
  const title = (own && titleOfSummary(own)) ?? session.title ?? titleWords(firstMessage);
  const others = sessions.filter((summary) => !isOwn(summary)).flatMap((summary) => titleOfSummary(summary) ?? []);
  const name = title === undefined ? undefined : nextTitle(title, others);
  if (name !== undefined) await chat.request("set_session_name", { name });
}
