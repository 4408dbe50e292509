import { access } from "node:fs/promises";
import * as z from "zod";
import type { Chat } from "../../chat/chat.ts";

/** The metadata that a native chat keeps with each answer, to find its session again. */
export const NativeMemory = z.object({
  tiller: z.object({
    session: z.string().min(1),
    file: z.string().optional(),
    /** Number of the user's messages in the session by then. */
    prompts: z.int().nonnegative(),
    command: z.string().optional(),
    hasChanges: z.boolean(),
  }),
});
export type NativeMemory = z.infer<typeof NativeMemory>;

interface NativeChats {
  open(session: { readonly key: string; readonly file?: string | undefined }): Chat;
  openNew(): Chat;
  /** True when the chat is also shown outside the native chat. */
  isShown(chat: Chat): boolean;
}

/**
 * Returns the chat of a native chat: the one of its last answer, or a new one. When the user has gone back in the native chat, the session is
 * forked there, so that the model knows exactly what the native chat shows.
 * @param metadata of the previous answers, the latest last; not validated.
 */
export async function sessionOfNativeChat(metadata: readonly unknown[], chats: NativeChats): Promise<Chat> {
  const last = metadata.flatMap((one) => NativeMemory.safeParse(one).data ?? []).at(-1)?.tiller;
  if (last === undefined) return chats.openNew();
  const chat = await reopen(last, chats);
  if (chat === undefined) return chats.openNew();
  if (!chats.isShown(chat)) await goBackTo(last.prompts, chat);
  return chat;
}

/** Counts the user's messages in the session. */
export async function countPrompts(chat: Chat): Promise<number> {
  return (await chat.request("get_fork_messages", {})).messages.length;
}

/** Opens the session again; undefined when its file was deleted. */
async function reopen({ session, file }: NativeMemory["tiller"], chats: NativeChats): Promise<Chat | undefined> {
  if (file === undefined) return chats.open({ key: session });
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  return isThere ? chats.open({ key: session, file }) : undefined;
}

async function goBackTo(prompts: number, chat: Chat): Promise<void> {
  const { messages } = await chat.request("get_fork_messages", {});
  const next = messages[prompts];
  if (next === undefined) return;
  const { cancelled } = await chat.request("fork", { entryId: next.entryId });
  if (!cancelled) await chat.agent.reload();
}
