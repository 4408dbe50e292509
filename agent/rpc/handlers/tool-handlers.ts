import { backgroundProcesses } from "../../tools/background.ts";
import type { Services } from "../services/services.ts";
import { readHostTools } from "../wire/host-tools.ts";
import { DONE, type Handlers } from "./handler.ts";

const MS_PER_SECOND = 1000;

/** Commands that run the host's own shell commands, and those about its tools. */
export function toolHandlers({ session, bash, hostTools, hostRecording }: Services) {
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
    async stop_background({ processId }) {
      const ids = processId === undefined ? backgroundProcesses.running.map(({ id }) => id) : [processId];
      await Promise.all(ids.map((id) => backgroundProcesses.stop(id)));
      return DONE;
    },
    set_host_tools({ tools, recordsChanges }) {
      const entries = readHostTools(tools).map((definition) => hostTools.toEntry(definition));
      session.options.tools.replaceHostTools(entries);
      hostRecording.isOn = recordsChanges === true;
      return { data: { toolNames: entries.map(({ tool }) => tool.name) } };
    },
  } satisfies Partial<Handlers>;
}
