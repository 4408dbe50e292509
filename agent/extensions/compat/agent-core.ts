import { formatSize, MAX_BYTES, MAX_LINES } from "../../util/truncate.ts";
import { convertToLlm, estimateTokens, serializeConversation } from "./conversation-text.ts";
import { withInertNames } from "./terminal.ts";
import { truncateHead, truncateLine, truncateTail } from "./text-helpers.ts";
import { CORE_INSIDES, unavailable } from "./unavailable.ts";

/** The exports of pi's agent library that extensions can import. */
export const agentCoreModule = withInertNames({
  ...unavailable(CORE_INSIDES),
  DEFAULT_MAX_BYTES: MAX_BYTES,
  DEFAULT_MAX_LINES: MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
  convertToLlm,
  estimateTokens,
  serializeConversation,
});
