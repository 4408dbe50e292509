import { describe, expect, test } from "vitest";
import type { HostToolHandlerV1, HostToolV1 } from "../../../../agent/client/vscode-api.ts";
import { apiTool } from "../../../../extension/doors/api/api-tool.ts";
import { hostToolContext } from "../../../support/host-tool-context.ts";

const lookUp: HostToolV1 = {
  name: "look_up",
  description: "Looks a word up.",
  parameters: { properties: { word: { type: "string" } }, required: ["word"] },
};

/** The arguments of a call; `cancel` withdraws it. */
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
  return apiTool(lookUp, handler, []).run({ word: "tiller" }, context);
}

describe("apiTool", () => {
  test("describes the tool to the model as given, with an object schema", () => {
    const { definition } = apiTool({ ...lookUp, label: "Look up", isReadOnly: true }, () => "", []);
    expect(definition).toEqual({
      name: "look_up",
      label: "Look up",
      description: "Looks a word up.",
      parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      readOnly: true,
    });
  });

  test("assumes that a tool may change something, and uses its name as label", () => {
    expect(apiTool(lookUp, () => "", []).definition).toMatchObject({ label: "look_up", readOnly: false });
  });

  test("copies the schema", () => {
    const parameters = { type: "object", properties: {} };
    const { definition } = apiTool({ ...lookUp, parameters }, () => "", []);
    Object.assign(parameters, { type: "string" });
    expect(definition.parameters).toEqual({ type: "object", properties: {} });
  });

  test.each(["", "look up", "9lives", "vscode_look", "host_before_change", "x".repeat(65), "böse", "look-up"])(
    "refuses the name %j",
    (name) => {
      expect(() => apiTool({ ...lookUp, name }, () => "", [])).toThrow(/^The tool is not registered\. .*name/s);
    },
  );

  test.each(["bash", "edit", "glob", "other"])("refuses the name %s, which is taken", (name) => {
    expect(() => apiTool({ ...lookUp, name }, () => "", ["other"])).toThrow(
      expect.objectContaining({
        name: "TillerError",
        code: "invalid_argument",
        message: `The tool is not registered. There is a tool "${name}" already.`,
      }),
    );
  });

  test("refuses parameters that are not JSON, not of an object, or too large", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const attempt = (parameters: Record<string, unknown>) => () => apiTool({ ...lookUp, parameters }, () => "", []);
    expect(attempt(loop)).toThrow("Its parameters are not JSON.");
    expect(attempt({ type: "string" })).toThrow('Its parameters are not of the type "object".');
    expect(attempt({ description: "x".repeat(64_000) })).toThrow("Its parameters take more than 64000 characters.");
  });

  test("passes the arguments and the id of the call to the handler, and returns its text", async () => {
    const result = await run((args, { toolCallId }) => `${JSON.stringify(args)} ${toolCallId}`);
    expect(result).toEqual({ content: [{ type: "text", text: '{"word":"tiller"} call-1' }] });
  });

  test("passes blocks of text and images unchanged", async () => {
    const content = [
      { type: "text" as const, text: "a word" },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
    ];
    expect(await run(async () => ({ content }))).toEqual({ content });
  });

  test("shows the handler's exception and its error blocks to the model", async () => {
    const failing = run(() => {
      throw new Error("No such word.");
    });
    await expect(failing).rejects.toMatchObject({ name: "HostToolFailed", message: "No such word." });
    const marked = run(() => ({ content: [{ type: "text", text: "Not there." }], isError: true }));
    await expect(marked).rejects.toMatchObject({ name: "HostToolFailed", message: "Not there." });
  });

  test("fails for a result of another form, with a reason", async () => {
    const handler: HostToolHandlerV1 = () => JSON.parse("42");
    await expect(run(handler)).rejects.toThrow("The tool gave back neither a text nor blocks of text and images.");
  });

  test("shows progress, and aborts the handler's signal when the call is withdrawn", async () => {
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
