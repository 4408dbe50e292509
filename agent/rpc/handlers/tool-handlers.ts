import type { Services } from "../services/services.ts";
import { readHostTools } from "../wire/host-tools.ts";
import { DONE, type Handlers } from "./handler.ts";

const MS_PER_SECOND = 1000;

/** Commands that run the host's own shell commands, and those about the tools that it lends. */
export function toolHandlers({ session, bash, hostTools }: Services) {
  return {
    async bash({ command, excludeFromContext, timeout }, { id }) {
      const { result, message } = await bash.run({
        id,
        command,
        excludeFromContext: excludeFromContext === true,
        timeoutMs: timeout === undefined ? undefined : timeout * MS_PER_SECOND,
      });
      session.addBash(message);
      return { data: result };
    },
    abort_bash() {
      bash.abort();
      return DONE;
    },
    set_host_tools({ tools }) {
      const lent = readHostTools(tools).map((definition) => hostTools.lend(definition));
      session.options.tools.replaceLent(lent);
      return { data: { toolNames: lent.map(({ tool }) => tool.name) } };
    },
  } satisfies Partial<Handlers>;
}
