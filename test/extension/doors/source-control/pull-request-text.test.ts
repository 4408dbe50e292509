import { expect, test } from "vitest";
import { pullRequestCopy } from "../../../../extension/doors/source-control/pull-request-text.ts";

test("a copied text begins with the plain title, and keeps the headings of the description", () => {
  expect(pullRequestCopy("# Add a port\n\n## Why\n\nIt was missing.\n")).toBe(
    "Add a port\n\n## Why\n\nIt was missing.",
  );
});
