import * as z from "zod";

/** The `customType` of the message by which the model learns of the rules that its answer went against. */
export const RULE_MESSAGE_TYPE = "ttsr-injection";

/** The `details` of such a message: the names of its rules. */
export const RuleMessageDetails = z.lazy(() => z.object({ rules: z.array(z.string()) }));
