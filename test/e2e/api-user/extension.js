const vscode = require("vscode");

exports.activate = async (context) => {
  const tiller = vscode.extensions.getExtension("tiller-dev.tiller");
  const { v1 } = (await tiller.activate()).api;
  const told = [];
  const words = v1.registerHostTool(
    {
      name: "acme_word",
      description: "Tells the word of the day.",
      parameters: { type: "object", properties: { language: { type: "string" } } },
      isReadOnly: true,
    },
    ({ language }, { progress }) => {
      progress("Looking…");
      return language === "de" ? "Feierabend" : "serendipity";
    },
  );
  context.subscriptions.push(
    words,
    v1.onEvent(({ event, isFocused }) => told.push(`${event.type} ${isFocused}`)),
    vscode.lm.registerLanguageModelChatProvider("acme", model),
  );
  return {
    told: () => told,
    prompt: (text, options) => v1.prompt(text, options),
    register: (name) => v1.registerHostTool({ name, description: "Nothing.", parameters: {} }, () => ""),
    takeBack: () => words.dispose(),
    asked: () => asked,
    invoke: async (name, input) => {
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return content.map(({ value }) => value).join("\n");
    },
  };
};

/** The texts that the model was asked. */
const asked = [];

/** Returns the text of a message, its parts one after the other. */
function wordsOf({ role, content }) {
  const parts = content.map((part) => {
    if (part instanceof vscode.LanguageModelToolCallPart) return `calls ${part.name}`;
    if (part instanceof vscode.LanguageModelToolResultPart) return `result ${part.content.map(({ value }) => value)}`;
    return part.value ?? part.mimeType;
  });
  return `${role === vscode.LanguageModelChatMessageRole.User ? "user" : "assistant"}: ${parts.join(" | ")}`;
}

/** A model for whoever asks. The editor's own chat wants one, even for what it does not ask one. */
const model = {
  provideLanguageModelChatInformation: () => [
    {
      id: "acme-1",
      name: "Acme One",
      family: "acme",
      version: "1",
      maxInputTokens: 100_000,
      maxOutputTokens: 1000,
      capabilities: { toolCalling: true },
      isDefault: true,
      isUserSelectable: true,
    },
  ],
  async provideLanguageModelChatResponse(_, messages, { tools = [] }, progress, token) {
    const words = messages.map(wordsOf);
    const last = words.at(-1) ?? "";
    asked.push({ words, tools: tools.map(({ name }) => name) });
    const say = (text) => progress.report(new vscode.LanguageModelTextPart(text));
    if (last.includes("result ")) return say(`They say ${last.slice("user: result ".length)}`);
    if (last.includes("Fail")) throw vscode.LanguageModelError.Blocked("Enough for today.");
    if (last.includes("Wait")) {
      say("Waiting…");
      return new Promise((resolve) => token.onCancellationRequested(resolve));
    }
    say("Let me ");
    say("look.");
    progress.report(new vscode.LanguageModelToolCallPart("c1", "read", { path: "notes.txt" }));
  },
  provideTokenCount: () => 1,
};
