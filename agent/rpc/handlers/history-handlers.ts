import type { History } from "../../session/history/history.ts";
import type { Services } from "../services/services.ts";
import { DONE, type Handlers } from "./handler.ts";

/** Commands for the sessions on disk. Their code is loaded with the first command. */
export function historyHandlers({ session, sessions, agentDir, ending }: Services) {
  let loading: Promise<History> | undefined;
  const load = async () => {
    const { History } = await import("../../session/history/history.ts");
    const place = { agentDir, cwd: session.options.cwd, folder: sessions.folder };
    return new History({ place, openFile: () => session.conversation.file, signal: ending.signal });
  };
  const history = () => {
    loading ??= load();
    return loading;
  };
  return {
    list_sessions: async (request) => ({ data: await (await history()).list(request) }),
    read_session: async (request) => ({ data: await (await history()).read(request) }),
    async rename_session(request) {
      const saved = await history();
      if (saved.isOpen(request.sessionPath)) await session.setName(request.name);
      else await saved.rename(request);
      return DONE;
    },
    delete_session: async (request) => ({ data: (await history()).remove(request) }),
    get_usage: async ({ days }) => ({ data: await (await history()).usage(days) }),
    restore_session: async (request) => ({ data: (await history()).restore(request) }),
  } satisfies Partial<Handlers>;
}
