import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineHostTool, HostToolFailed, textResult } from "../../../../extension/host/host-tools/host-tool.ts";
import { hostToolContext } from "../../../support/host-tool-context.ts";

const context = hostToolContext({
  token: { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) },
  update: () => {},
});

const double = defineHostTool({
  name: "double",
  label: "Double",
  description: "Doubles a line number.",
  isReadOnly: true,
  input: z.object({ line: z.int().positive().describe("from 1"), times: z.int().max(9).default(2) }),
  run: async ({ line, times }) => String(line * times),
});

describe("defineHostTool", () => {
  test("shows the model the arguments of the schema, without meaningless limits", () => {
    expect(double.definition).toEqual({
      name: "double",
      label: "Double",
      description: "Doubles a line number.",
      readOnly: true,
      parameters: {
        type: "object",
        properties: {
          line: { type: "integer", description: "from 1" },
          times: { type: "integer", maximum: 9, default: 2 },
        },
        required: ["line"],
      },
    });
  });

  test("passes valid arguments to the tool with their defaults", async () => {
    expect(await double.run({ line: 21 }, context)).toEqual({ content: [{ type: "text", text: "42" }] });
  });

  test("names the field of an invalid argument", async () => {
    const failure = double.run({ line: 0 }, context);
    await expect(failure).rejects.toBeInstanceOf(HostToolFailed);
    await expect(failure).rejects.toThrow(/^Invalid arguments\.\n.*\n.*at line$/);
  });
});

describe("textResult", () => {
  test("cuts a long text between two characters and says so", () => {
    const [block] = textResult(`${"a".repeat(16_383)}é and more`).content;
    expect(block).toEqual({
      type: "text",
      text: `${"a".repeat(16_383)}\n[Cut: the first 16384 of 16394 bytes. Ask for less, such as one file.]`,
    });
  });

  test("keeps a text within the limit", () => {
    expect(textResult("é".repeat(8_192)).content).toEqual([{ type: "text", text: "é".repeat(8_192) }]);
  });
});
