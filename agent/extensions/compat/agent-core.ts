import { formatSize, MAX_BYTES, MAX_LINES } from "../../util/truncate.ts";
import { convertToLlm, estimateTokens, serializeConversation } from "./conversation-text.ts";
import { withInertNames } from "./terminal.ts";
import { truncateHead, truncateLine, truncateTail } from "./text-helpers.ts";
import { CORE_INSIDES, unavailable } from "./unavailable.ts";

/** What extensions may import of pi's agent library. */
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
