import { exampleCall } from "../tools/read-arguments.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { BrokenCall } from "./message-builder.ts";

/** Longer arguments are cut where the model is told what it sent, in UTF-16 units. */
const MAX_RECEIVED_LENGTH = 4_000;

/** Words for the model which arguments do not fit, and a call that does. */
export function invalidArgumentsText(
  tool: AnyTool,
  problems: readonly string[],
  args: Record<string, unknown>,
): string {
  return wrongCallText(tool, problems, args, JSON.stringify(args, null, 2));
}

/** Words for the model that its arguments are no JSON that can be used, and a call that fits. */
export function brokenCallText(tool: AnyTool, { problem, received }: BrokenCall): string {
  return wrongCallText(tool, [`  - root: ${problem}`], {}, received);
}

function wrongCallText(
  tool: AnyTool,
  problems: readonly string[],
  args: Record<string, unknown>,
  received: string,
): string {
  const more = received.length - MAX_RECEIVED_LENGTH;
  return [
    `Validation failed for tool "${tool.name}":`,
    ...problems,
    "",
    `Call it like this: ${exampleCall(tool.name, tool.parameters, args)}`,
    "",
    "Received arguments:",
    more > 0 ? `${received.slice(0, MAX_RECEIVED_LENGTH)}… (${more} more characters)` : received,
  ].join("\n");
}
