import type { Chat } from "./chat.ts";
import { PlanEditor } from "./plan-editor.ts";
import { SlashCommands } from "./slash-commands.ts";

/** What a chat has beside its conversation. */
interface ChatTools {
  readonly plan: PlanEditor;
  readonly slashCommands: SlashCommands;
}

const tools = new WeakMap<Chat, ChatTools>();

/** The tools of a chat, made when they are first asked for. */
export function toolsOf(chat: Chat): ChatTools {
  const known = tools.get(chat) ?? {
    plan: new PlanEditor(chat),
    // An agent that does not run is not started for its commands; one that is about to is waited for.
    slashCommands: new SlashCommands(async () => {
      const client = await chat.agent.coming;
      return client === undefined ? [] : (await client.request("get_commands", {})).commands;
    }),
  };
  tools.set(chat, known);
  return known;
}
