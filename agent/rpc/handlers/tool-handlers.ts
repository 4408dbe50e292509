import { AgentError } from "../../protocol/errors.ts";
import type { Services } from "../services/services.ts";
import { readHostTools } from "../wire/host-tools.ts";
import { DONE, type Handlers } from "./handler.ts";

const MS_PER_SECOND = 1000;
const NO_PREVIEWS =
  "Commands can't be previewed here. Previews need Linux with user namespaces, and the packages bubblewrap and util-linux.";

/** Commands that run the host's own shell commands, and those about its tools. */
export function toolHandlers(services: Services) {
  const { session, bash, hostTools, hostRecording, previews } = services;
  const { background } = services.processes;
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
    async preview_command(input) {
      if (!(await previews.isPossible())) throw new AgentError("invalid_request", NO_PREVIEWS);
      return { data: await previews.run(input) };
    },
    async apply_preview({ previewId }) {
      await previews.apply(previewId);
      return DONE;
    },
    async discard_preview({ previewId }) {
      await previews.discard(previewId);
      return DONE;
    },
    async stop_background({ processId }) {
      const ids = processId === undefined ? background.running.map(({ id }) => id) : [processId];
      await Promise.all(ids.map((id) => background.stop(id)));
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
