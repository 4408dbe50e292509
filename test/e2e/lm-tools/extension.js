const vscode = require("vscode");

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Events in this extension, in order. */
const told = [];

exports.activate = (context) => {
  const { LanguageModelDataPart: Data, LanguageModelTextPart: Text, LanguageModelToolResult: Result } = vscode;
  const register = (name, tool) => context.subscriptions.push(vscode.lm.registerTool(name, tool));
  register("fixture_parts", {
    invoke: ({ input: { chars = 0 } }) =>
      new Result([
        new Text(`An image.${"x".repeat(chars)}`),
        Data.image(Buffer.from(PIXEL, "base64"), "image/png"),
        Data.json({ price: 42 }),
        new Data(new Uint8Array(3), "application/zip"),
      ]),
  });
  register("fixture_pay", {
    prepareInvocation: () => ({ confirmationMessages: { title: "Pay the bill?", message: "It is 42 euros." } }),
    invoke: () => {
      told.push("paid");
      return new Result([new Text("It is paid.")]);
    },
  });
  register("fixture_endless", {
    invoke: (_options, token) => {
      told.push("begun");
      token.onCancellationRequested(() => told.push("cancelled"));
      return new Promise(() => {});
    },
  });
  register("fixture_sometimes", { invoke: () => new Result([new Text("Here.")]) });
  return { told: () => told };
};
