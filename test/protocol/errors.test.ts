import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type CommandType, commands } from "../../agent/protocol/commands.ts";
import { AgentError, describeInvalidCommand, describeIssues, errorMessage } from "../../agent/protocol/errors.ts";

/** Returns the error for a frame, or undefined when its fields are valid. */
function problemOf(type: CommandType, fields: Record<string, unknown>): string | undefined {
  const parsed = commands[type].params.safeParse(fields);
  return parsed.success ? undefined : describeInvalidCommand(type, parsed.error, { type, ...fields });
}

const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" };

describe("a wrong field of a command", () => {
  it("that should be a string is named", () => {
    expect(problemOf("prompt", {})).toBe('prompt: "message" must be a string');
    expect(problemOf("prompt", { message: 5 })).toBe('prompt: "message" must be a string');
    expect(problemOf("steer", { message: null })).toBe('steer: "message" must be a string');
    expect(problemOf("set_model", { provider: "anthropic" })).toBe('set_model: "modelId" must be a string');
    expect(problemOf("new_session", { parentSession: 1 })).toBe('new_session: "parentSession" must be a string');
  });

  it("that should be a boolean is named", () => {
    expect(problemOf("set_auto_retry", {})).toBe('set_auto_retry: "enabled" must be a boolean');
    expect(problemOf("bash", { command: "ls", excludeFromContext: "no" })).toBe(
      'bash: "excludeFromContext" must be a boolean',
    );
  });

  it("that should be an array is named", () => {
    expect(problemOf("set_host_tools", {})).toBe('set_host_tools: "tools" must be an array');
    expect(problemOf("set_event_filter", {})).toBe('set_event_filter: "events" is missing');
    expect(problemOf("set_todos", { phases: {} })).toBe('set_todos: "phases" must be an array');
    expect(problemOf("prompt", { message: "hi", images: "x" })).toBe('prompt: "images" must be an array');
  });

  it("that should be a number is named", () => {
    expect(problemOf("bash", { command: "ls", timeout: "10" })).toBe('bash: "timeout" must be a number');
  });

  it("with an unknown value is quoted with the known ones", () => {
    expect(problemOf("set_steering_mode", { mode: "some" })).toBe(
      'Invalid mode "some". Valid values: all, one-at-a-time',
    );
    expect(problemOf("set_permission_mode", { mode: "yolo" })).toBe(
      'Invalid mode "yolo". Valid values: auto, confirm, readonly, auto-edit, sandboxed, plan',
    );
    expect(problemOf("prompt", { message: "hi", streamingBehavior: "later" })).toBe(
      'Invalid streamingBehavior "later". Valid values: steer, followUp',
    );
    expect(problemOf("set_thinking_level", { level: "huge" })).toBe(
      'Invalid thinking level "huge". Valid values: off, minimal, low, medium, high, xhigh, max',
    );
  });

  it("that is not a string is quoted as JSON", () => {
    expect(problemOf("set_interrupt_mode", { mode: 3 })).toBe('Invalid mode "3". Valid values: immediate, wait');
  });

  it("in an image names the image", () => {
    const wording = (index: number) => `prompt: images[${index}] must be {type:"image", data, mimeType}`;
    expect(problemOf("prompt", { message: "", images: [IMAGE, { type: "image", mimeType: "image/png" }] })).toBe(
      wording(1),
    );
    expect(problemOf("prompt", { message: "", images: [{ ...IMAGE, type: "video" }] })).toBe(wording(0));
    expect(problemOf("prompt", { message: "", images: [{ ...IMAGE, mimeType: 7 }] })).toBe(wording(0));
    expect(problemOf("prompt", { message: "", images: ["x"] })).toBe(wording(0));
    expect(problemOf("prompt", { message: "", images: [null] })).toBe(wording(0));
  });
});

describe("AgentError", () => {
  it("carries its code, its text and its cause", () => {
    const cause = new Error("EACCES");
    const error = new AgentError("session_locked", "In use.", { cause });
    expect([error.code, error.message, error.cause]).toEqual(["session_locked", "In use.", cause]);
  });
});

describe("describeIssues", () => {
  it("gives every problem a line with the path of its field", () => {
    const schema = z.object({ path: z.string(), edits: z.array(z.object({ oldText: z.string() })) });
    const { error } = schema.safeParse({ path: 1, edits: [{ oldText: "a" }, {}] });
    expect(error === undefined ? [] : describeIssues(error)).toEqual([
      "  - path: Invalid input: expected string, received number",
      "  - edits.1.oldText: Invalid input: expected string, received undefined",
    ]);
  });

  it("calls the whole value root", () => {
    const { error } = z.object({}).safeParse("text");
    expect(error === undefined ? [] : describeIssues(error)).toEqual([
      "  - root: Invalid input: expected object, received string",
    ]);
  });
});

describe("errorMessage", () => {
  it("returns the message of an error and the text of everything else", () => {
    expect([errorMessage(new Error("broken")), errorMessage("plain"), errorMessage(null)]).toEqual([
      "broken",
      "plain",
      "null",
    ]);
  });
});
