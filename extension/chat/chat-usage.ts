import type { RpcClient } from "../../agent/client/rpc-client.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { ChatPorts } from "./chat-ports.ts";
import { describeCache } from "./session-ui.ts";
import { SessionUsage, wordPassedLimit } from "./session-usage.ts";
import type { TranscriptStore } from "./transcript-store.ts";

interface UsageSurroundings {
  readonly transcript: TranscriptStore;
  readonly ports: Pick<ChatPorts, "cost" | "log">;
  readonly client: () => RpcClient | undefined;
  readonly stopRun: () => void;
}

/** Tracks the usage of a chat: reads it from the agent, shows it around the conversation, and reports when it exceeds the limit. */
export function createUsage({ transcript, ports, client, stopRun }: UsageSurroundings): SessionUsage {
  const { cost, log } = ports;
  return new SessionUsage({
    readCost: async () => {
      const stats = await client()?.request("get_session_stats", {});
      if (stats !== undefined) transcript.dispatch({ type: "host_ui", ui: describeCache(stats.contextUsage) });
      return stats?.cost;
    },
    show: (ui) => transcript.dispatch({ type: "host_ui", ui }),
    limitUsd: cost.limitUsd,
    hasQueued: () => transcript.ui.steering.length + transcript.ui.followUp.length > 0,
    stopRun,
    passed: (limit) => {
      const action = { label: t("Raise Limit and Continue…"), command: "tiller.raiseCostLimit" };
      transcript.dispatch({ type: "host_notice", level: "warning", text: wordPassedLimit(limit), action });
      cost.passed(limit);
    },
    failed: (error) => log.debug(`agent: the cost of the session could not be read: ${errorMessage(error)}`),
  });
}
