import { expect, test } from "vitest";
import { traceable } from "../../../../extension/core/trace/traceable.ts";

test("of a request to a model of the editor, and of its answer, only the head is kept", () => {
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
