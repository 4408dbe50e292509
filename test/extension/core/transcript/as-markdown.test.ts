import { expect, it } from "vitest";
import { asMarkdown, itemAsMarkdown, turnOf } from "../../../../extension/core/transcript/as-markdown.ts";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";

const prompt = (id: string, text: string): TranscriptItem => ({ id, kind: "prompt", text, images: [] });
const tool: TranscriptItem = {
  id: "t",
  kind: "tool",
  toolName: "bash",
  state: "failed",
  intent: "npm test",
  input: "npm test",
  inputLanguage: "bash",
  output: "```\nfailed",
  isOutputCut: false,
  images: [],
};
const items: TranscriptItem[] = [
  prompt("1", "Fix **it**"),
  tool,
  { id: "a", kind: "text", text: "Done: `x`", isStreaming: false },
  { id: "f", kind: "footer", model: "m" },
  prompt("2", "Thanks"),
];

it("a turn is copied from one user message to the next, as written", () => {
  expect(turnOf(items, "a").map(({ id }) => id)).toEqual(["1", "t", "a", "f"]);
  expect(turnOf(items, "2").map(({ id }) => id)).toEqual(["2"]);
  expect(turnOf(items, "gone")).toEqual([]);
  expect(asMarkdown(turnOf(items, "1"))).toBe(
    "## You\n\nFix **it**\n\n## Tiller\n\n- bash npm test (failed)\n\nDone: `x`\n",
  );
});

it("a message is copied as written, and a tool call with fences that its output cannot close", () => {
  expect(itemAsMarkdown({ id: "a", kind: "text", text: "Done: `x`", isStreaming: false })).toBe("Done: `x`");
  expect(itemAsMarkdown(tool)).toBe("**bash** npm test\n\n```bash\nnpm test\n```\n\n````\n```\nfailed\n````");
});
