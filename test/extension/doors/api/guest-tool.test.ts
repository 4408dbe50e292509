import { describe, expect, test } from "vitest";
import type { HostToolHandlerV1, HostToolV1 } from "../../../../agent/client/vscode-api.ts";
import { guestTool } from "../../../../extension/doors/api/guest-tool.ts";
import { hostToolContext } from "../../../support/host-tool-context.ts";

const lookUp: HostToolV1 = {
  name: "look_up",
  description: "Looks a word up.",
  parameters: { properties: { word: { type: "string" } }, required: ["word"] },
};

/** What a call comes with; `cancel` takes it back. */
function aCall() {
  const updates: string[] = [];
  const listeners = new Set<(event: unknown) => void>();
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: (event: unknown) => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  const context = hostToolContext({ token, update: (text) => void updates.push(text) });
  return {
    context,
    updates,
    cancel: () => {
      for (const listener of listeners) listener(undefined);
    },
  };
}

/** Runs a tool with a handler. */
function run(handler: HostToolHandlerV1, context = aCall().context) {
  return guestTool(lookUp, handler, []).run({ word: "tiller" }, context);
}

describe("guestTool", () => {
  test("the model is told of the tool as it was described, with a schema of an object", () => {
    const { definition } = guestTool({ ...lookUp, label: "Look up", isReadOnly: true }, () => "", []);
    expect(definition).toEqual({
      name: "look_up",
      label: "Look up",
      description: "Looks a word up.",
      parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      readOnly: true,
    });
  });

  test("a tool that says nothing of it may change something, and has its name for a label", () => {
    expect(guestTool(lookUp, () => "", []).definition).toMatchObject({ label: "look_up", readOnly: false });
  });

  test("the schema is a copy", () => {
    const parameters = { type: "object", properties: {} };
    const { definition } = guestTool({ ...lookUp, parameters }, () => "", []);
    Object.assign(parameters, { type: "string" });
    expect(definition.parameters).toEqual({ type: "object", properties: {} });
  });

  test.each(["", "look up", "9lives", "vscode_look", "host_before_change", "x".repeat(65), "böse", "look-up"])(
    "the name %j is refused",
    (name) => {
      expect(() => guestTool({ ...lookUp, name }, () => "", [])).toThrow(/^The tool is not registered\. .*name/s);
    },
  );

  test.each(["bash", "edit", "glob", "other"])("the name %s is taken", (name) => {
    expect(() => guestTool({ ...lookUp, name }, () => "", ["other"])).toThrow(
      expect.objectContaining({
        name: "TillerError",
        code: "invalid_argument",
        message: `The tool is not registered. There is a tool "${name}" already.`,
      }),
    );
  });

  test("parameters that are not JSON, not of an object, or too large are refused", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const attempt = (parameters: Record<string, unknown>) => () => guestTool({ ...lookUp, parameters }, () => "", []);
    expect(attempt(loop)).toThrow("Its parameters are not JSON.");
    expect(attempt({ type: "string" })).toThrow('Its parameters are not of the type "object".');
    expect(attempt({ description: "x".repeat(64_000) })).toThrow("Its parameters take more than 64000 characters.");
  });

  test("the handler gets the arguments and the id of the call, and its text is the result", async () => {
    const result = await run((args, { toolCallId }) => `${JSON.stringify(args)} ${toolCallId}`);
    expect(result).toEqual({ content: [{ type: "text", text: '{"word":"tiller"} call-1' }] });
  });

  test("blocks of text and pictures pass as they are", async () => {
    const content = [
      { type: "text" as const, text: "a word" },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
    ];
    expect(await run(async () => ({ content }))).toEqual({ content });
  });

  test("what the handler throws is what the model reads, and so are blocks that are marked as an error", async () => {
    const failing = run(() => {
      throw new Error("No such word.");
    });
    await expect(failing).rejects.toMatchObject({ name: "HostToolFailed", message: "No such word." });
    const marked = run(() => ({ content: [{ type: "text", text: "Not there." }], isError: true }));
    await expect(marked).rejects.toMatchObject({ name: "HostToolFailed", message: "Not there." });
  });

  test("a result of another form is a failure that says so", async () => {
    const handler: HostToolHandlerV1 = () => JSON.parse("42");
    await expect(run(handler)).rejects.toThrow("The tool gave back neither a text nor blocks of text and pictures.");
  });

  test("progress is shown, and a call that is taken back aborts the handler's signal", async () => {
    const { context, updates, cancel } = aCall();
    const ended = run(
      (_args, { signal, progress }) =>
        new Promise((resolve) => {
          progress("Looking…");
          signal.addEventListener("abort", () => resolve("given up"));
          cancel();
        }),
      context,
    );
    expect(await ended).toEqual({ content: [{ type: "text", text: "given up" }] });
    expect(updates).toEqual(["Looking…"]);
  });
});
