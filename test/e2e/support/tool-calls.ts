import { expect } from "vitest";
import type { ScriptedModel } from "../../support/scripted-model.ts";
import { type RecordedRequest, reply, toolCall } from "../../support/scripted-replies.ts";
import type { EditorWindow } from "./editor-window.ts";
import type { ToolRow, ToolStep } from "./tool-rows/tool-row.ts";
import type { Workbench } from "./workbench.ts";

const RUN_TIMEOUT_MS = 60_000;
/** A result may have as much, and a line that says what was cut. */
const MAX_RESULT_BYTES = 16 * 1024 + 200;

interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

let lastCall = 0;

/** Has the agent make the calls of a table in a running conversation. Everything that the model does not read as the table says is told at once. */
export async function runRows(workbench: Workbench, opened: EditorWindow, steps: readonly ToolStep[]): Promise<void> {
  const calls = steps.map((step) => step.map((row) => ({ row, id: `toolu_row_${++lastCall}` })));
  const done = `Those were ${calls.flat().length} calls, up to ${lastCall}.`;
  const model = await workbench.script(
    ...calls.map((step) => (request: RecordedRequest) => {
      const earlier = [...outcomesIn(request).values()].map(({ text }) => text).join("\n");
      return reply(
        step.map(({ row, id }) =>
          toolCall(row.tool, typeof row.args === "function" ? row.args(earlier) : row.args, { id }),
        ),
      );
    }),
    reply(done),
  );
  await opened.send("Go");
  for (const row of steps.flat()) await answer(opened, row);
  await opened.conversation.getByText(done, { exact: true }).waitFor({ timeout: RUN_TIMEOUT_MS });
  const outcomes = outcomesIn(model.requests.at(-1));
  expect(calls.flat().flatMap(({ row, id }) => differences(row, outcomes.get(id)))).toEqual([]);
}

/** The tools in the next request to the model; sends a message to read them. */
export async function offeredTools(opened: EditorWindow, model: ScriptedModel): Promise<string[]> {
  const answer = `Answer ${model.requests.length}.`;
  model.enqueue(reply(answer));
  await opened.send("What is there?");
  await opened.conversation.getByText(answer, { exact: true }).waitFor();
  return (model.requests.at(-1)?.body.tools ?? []).map(({ name }) => name);
}

/** Has the model call a tool. @returns what resolves to the outcome that it reads, after everything that has to be answered for that. */
export async function callTool(
  opened: EditorWindow,
  model: ScriptedModel,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<() => Promise<ToolOutcome | undefined>> {
  const id = `toolu_one_${++lastCall}`;
  const done = `That was call ${lastCall}.`;
  model.enqueue(reply([toolCall(tool, args, { id })]), reply(done));
  await opened.send(`Call ${tool}`);
  return async () => {
    await opened.conversation.getByText(done, { exact: true }).waitFor();
    return outcomesIn(model.requests.at(-1)).get(id);
  };
}

async function answer(opened: EditorWindow, row: ToolRow): Promise<void> {
  if (row.isAsked) await opened.approve(row.tool, "Allow Once");
  if (row.answer === undefined) return;
  const question = typeof row.args === "function" ? "" : String(row.args.question);
  await opened.question(question).getByRole("button", { name: row.answer }).click();
}

/** The results of the tools in a conversation by the id of their call, as the model reads them. */
export function outcomesIn(request: RecordedRequest | undefined): Map<string, ToolOutcome> {
  const outcomes = new Map<string, ToolOutcome>();
  for (const { content } of request?.body.messages ?? []) {
    if (typeof content === "string") continue;
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const parts = typeof block.content === "string" ? [block.content] : (block.content ?? []).map(textOf);
      outcomes.set(block.tool_use_id, { text: parts.join("\n"), isError: block.is_error === true });
    }
  }
  return outcomes;
}

function textOf(part: { type: string; text?: string }): string {
  return part.text ?? `<${part.type}>`;
}

function differences({ tool, isGood, says }: ToolRow, outcome: ToolOutcome | undefined): string[] {
  if (outcome === undefined) return [`${tool} has no result`];
  const { text, isError } = outcome;
  const missing = says.filter((part) => (typeof part === "string" ? !text.includes(part) : !part.test(text)));
  const wrong = [
    isError === isGood ? `${isGood ? "fails" : "does not fail"}` : "",
    missing.length > 0 ? `does not say ${missing.join(" or ")}` : "",
    Buffer.byteLength(text) > MAX_RESULT_BYTES ? "says too much" : "",
  ].filter((part) => part !== "");
  return wrong.length === 0 ? [] : [`${tool} ${wrong.join(", ")}:\n${text}`];
}
