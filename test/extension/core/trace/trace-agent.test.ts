import { expect, test } from "vitest";
import { traceable } from "../../../../extension/core/trace/trace-agent.ts";

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
