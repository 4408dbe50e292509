/**
 * The scripted model as a process of its own, for benches and editor tests: prints `{"url":…}` as its first line, then reads
 * one reply a line from stdin until that ends; each is confirmed with
 * `{"queued":…}` and its number. With `--requests` it also prints each request's body as a line.
 *
 *   {"reply":[{"text":"Hello","chunks":5,"delayMs":20}]}
 *   {"reply":[{"thinking":"Hm"},{"toolCall":"read","args":{"path":"a.txt"}}]}
 *   {"reply":[{"flood":{"deltas":20000,"characters":20}}]}
 *   {"httpError":{"status":529,"type":"overloaded_error","message":"Overloaded"}}
 *   {"hang":[{"text":"so far"}]}
 */
import { stdin, stdout } from "node:process";
import * as z from "zod";
import { ScriptedModel } from "./scripted-model.ts";
import {
  flood,
  hang,
  httpError,
  type RecordedRequest,
  type ReplySource,
  reply,
  type ScriptedBlock,
  type ScriptedReply,
  text,
  thinking,
  toolCall,
} from "./scripted-replies.ts";

const pace = { chunks: z.int().optional(), delayMs: z.number().optional() };

const Block = z.union([
  z.strictObject({ text: z.string(), ...pace }),
  z.strictObject({ thinking: z.string(), ...pace }),
  z.strictObject({ toolCall: z.string(), args: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ flood: z.object({ deltas: z.int(), characters: z.int() }) }),
]);

const Line = z.union([
  z.strictObject({ reply: z.array(Block), stopReason: z.string().optional() }),
  z.strictObject({ httpError: z.object({ status: z.int(), type: z.string(), message: z.string() }) }),
  z.strictObject({ hang: z.array(Block) }),
]);

function toBlock(block: z.infer<typeof Block>): ScriptedBlock {
  if ("text" in block) return text(block.text, block);
  if ("thinking" in block) return thinking(block.thinking, block);
  if ("toolCall" in block) return toolCall(block.toolCall, block.args);
  return flood(block.flood.deltas, block.flood.characters);
}

function toReply(line: z.infer<typeof Line>): ScriptedReply {
  if ("httpError" in line) return httpError(line.httpError.status, line.httpError.type, line.httpError.message);
  if ("hang" in line) return hang({ afterBlocks: line.hang.map(toBlock) });
  return reply(line.reply.map(toBlock), line.stopReason === undefined ? {} : { stopReason: line.stopReason });
}

const shouldPrint = process.argv.includes("--requests");

function scripted(answer: ScriptedReply): ReplySource {
  return (request: RecordedRequest) => {
    if (shouldPrint) stdout.write(`${JSON.stringify({ request: request.body })}\n`);
    return answer;
  };
}

const model = await ScriptedModel.start();
stdout.write(`${JSON.stringify({ url: model.url })}\n`);
let rest = "";
let queued = 0;
for await (const chunk of stdin.setEncoding("utf8")) {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    model.enqueue(scripted(toReply(Line.parse(JSON.parse(line)))));
    queued += 1;
    stdout.write(`${JSON.stringify({ queued })}\n`);
  }
}
await model.close();
