import type { Services } from "../services/services.ts";
import { approvalHandlers } from "./approval-handlers.ts";
import { changeHandlers } from "./change-handlers.ts";
import { compactionHandlers } from "./compaction-handlers.ts";
import { exportHandlers } from "./export-handlers.ts";
import type { Handlers } from "./handler.ts";
import { historyHandlers } from "./history-handlers.ts";
import { hostHandlers } from "./host-handlers.ts";
import { modelHandlers } from "./model-handlers.ts";
import { planHandlers } from "./plan-handlers.ts";
import { promptHandlers } from "./prompt-handlers.ts";
import { resourceHandlers } from "./resource-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { stateHandlers } from "./state-handlers.ts";
import { toolHandlers } from "./tool-handlers.ts";
import { treeHandlers } from "./tree-handlers.ts";

/** The handlers of all commands. */
export function createHandlers(services: Services): Handlers {
  return {
    ...promptHandlers(services),
    ...approvalHandlers(services),
    ...changeHandlers(services),
    ...compactionHandlers(services),
    ...sessionHandlers(services),
    ...stateHandlers(services),
    ...modelHandlers(services),
    ...hostHandlers(services),
    ...planHandlers(services),
    ...toolHandlers(services),
    ...treeHandlers(services),
    ...historyHandlers(services),
    ...exportHandlers(services),
    ...resourceHandlers(services),
  };
}
