import { expect, test } from "vitest";
import { droppedLines } from "../../../../extension/core/mentions/dropped-lines.ts";

test.each([
  ["12", { startLine: 12, endLine: 12 }],
  ["L12", { startLine: 12, endLine: 12 }],
  ["12,3", { startLine: 12, endLine: 12 }],
  ["12,3-14,9", { startLine: 12, endLine: 14 }],
  ["L12-L14", { startLine: 12, endLine: 14 }],
  ["12,1-15,1", { startLine: 12, endLine: 14 }],
  ["12,1-12,1", { startLine: 12, endLine: 12 }],
  ["14-12", { startLine: 14, endLine: 14 }],
])("the fragment %j names lines", (fragment, lines) => {
  expect(droppedLines(fragment)).toEqual(lines);
});

test.each(["", "0", "section-2", "L", "12;rm", "-3", "1,2,3"])("the fragment %j names none", (fragment) => {
  expect(droppedLines(fragment)).toBeUndefined();
});
