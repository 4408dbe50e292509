import { withInertNames } from "./terminal.ts";

/** What extensions may import of pi's agent library. */
export const agentCoreModule = withInertNames({});
