// The least that a Node program can do to pass a model's stream on: fetch it, split its lines, parse each, write it as a line.
const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, { method: "POST", body: "{}" });
const decoder = new TextDecoder();
let rest = "";
for await (const chunk of response.body) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.type !== "content_block_delta") continue;
    const frame = `${JSON.stringify({ type: "text_delta", contentIndex: event.index, delta: event.delta.text })}\n`;
    if (!process.stdout.write(frame)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}
process.stdout.write('{"type":"agent_settled","aborted":false}\n');
