import type { ScriptedModel } from "./scripted-model.ts";
import { reply, toolCall } from "./scripted-replies.ts";
import { type AgentUnderTest, asRecord, type Frame } from "./spawn-agent.ts";

/** Has the model call a tool, and waits for the question that the agent asks about it. */
export async function questionAbout(
  agent: AgentUnderTest,
  model: ScriptedModel,
  tool: string,
  args: Record<string, unknown>,
): Promise<Frame> {
  const from = agent.frames.length;
  model.enqueue(reply([toolCall(tool, args)], { stopReason: "tool_use" }), reply("ok"));
  await agent.call("prompt", { message: "go" });
  return agent.waitFor(({ method }) => method === "select", from);
}

/** Answers a question and waits for the end of the run. @returns the text of the tool's result, and whether it is an error. */
export async function answer(agent: AgentUnderTest, question: Frame, fields: object): Promise<Outcome> {
  const from = agent.frames.indexOf(question);
  agent.send({ type: "extension_ui_response", id: question.id, ...fields });
  await agent.settled(from);
  return outcome(agent.frames.slice(from));
}

/** Makes the model call a tool that needs no approval. */
export async function callUnasked(
  agent: AgentUnderTest,
  model: ScriptedModel,
  tool: string,
  args: Record<string, unknown>,
): Promise<Outcome & { isAsked: boolean }> {
  model.enqueue(reply([toolCall(tool, args)], { stopReason: "tool_use" }), reply("ok"));
  const frames = await agent.run("go");
  return { ...outcome(frames), isAsked: frames.some(({ method }) => method === "select") };
}

/** How a tool call ended. */
export interface Outcome {
  isError: unknown;
  text: unknown;
}

/** How the one tool call among these frames ended. */
export function outcome(frames: readonly Frame[]): Outcome {
  const end = frames.find(({ type }) => type === "tool_execution_end");
  const { content } = asRecord(end?.result);
  return { isError: end?.isError, text: Array.isArray(content) ? asRecord(content[0]).text : undefined };
}
