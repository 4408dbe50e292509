import { expect, test } from "vitest";
import { traceAgent, traceable } from "../../../../extension/core/trace/trace-agent.ts";
import { WireTrace } from "../../../../extension/core/trace/wire-trace.ts";

test("the trace keeps only the start of a request to an editor model, and of its answer", () => {
  const request = { type: "host_model_request", id: "r1", modelId: "acme/fox", systemPrompt: "x".repeat(50) };
  expect(traceable(JSON.stringify(request))).toBe(
    '{"type":"host_model_request","id":"r1","modelId":"acme/fox","leftOutChars":128}',
  );
  const update = { type: "host_model_update", id: "r1", parts: [{ type: "text", text: "sk-" }] };
  expect(traceable(JSON.stringify(update))).toBe('{"type":"host_model_update","id":"r1","leftOutChars":77}');
  const result = '{"type":"host_model_result","id":"r1"}';
  expect(traceable(result)).toBe(result);
  const broken = '{"type":"host_model_request","id":';
  expect(traceable(broken)).toBe(broken);
});

test("the trace keeps no password that the agent asked for", () => {
  const trace = new WireTrace({ isEnabled: true, maxChars: 10_000 });
  const { wire } = traceAgent(trace);
  const question = { type: "extension_ui_request", method: "input", title: "Key?" };
  wire("in", JSON.stringify({ ...question, id: "q1", password: true }));
  wire("in", JSON.stringify({ ...question, id: "q2" }));
  wire("out", '{"type":"extension_ui_response","id":"q1","value":"planted"}');
  wire("out", '{"type":"extension_ui_response","id":"q2","value":"seen"}');
  const texts = trace.after(0).map(({ text }) => text);
  expect(texts.slice(2)).toEqual([
    '{"type":"extension_ui_response","id":"q1"}',
    '{"type":"extension_ui_response","id":"q2","value":"seen"}',
  ]);
});
