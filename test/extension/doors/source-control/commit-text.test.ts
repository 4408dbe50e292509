import { expect, test } from "vitest";
import { commitText } from "../../../../extension/doors/source-control/commit-text.ts";

test("an answer is the message itself, with or without a fence around it", () => {
  expect(commitText("\nAdd a port  \n\nIt was missing.\n")).toBe("Add a port\n\nIt was missing.");
  expect(commitText("```text\nAdd a port\n\nIt was missing.\n```\n")).toBe("Add a port\n\nIt was missing.");
});

test("a fence inside of a message stays", () => {
  const text = "Run the check\n\n```\nnpm run check\n```";
  expect(commitText(text)).toBe(text);
});
