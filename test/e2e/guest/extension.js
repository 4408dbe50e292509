const vscode = require("vscode");

exports.activate = async (context) => {
  const tiller = vscode.extensions.getExtension("tiller-dev.tiller");
  const { v1 } = (await tiller.activate()).api;
  const told = [];
  const words = v1.registerHostTool(
    {
      name: "guest_word",
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
    vscode.lm.registerLanguageModelChatProvider("guest", model),
  );
  return {
    told: () => told,
    prompt: (text, options) => v1.prompt(text, options),
    register: (name) => v1.registerHostTool({ name, description: "Nothing.", parameters: {} }, () => ""),
    takeBack: () => words.dispose(),
  };
};

/** The editor's own chat wants a model, even for what it does not ask one. */
const model = {
  provideLanguageModelChatInformation: () => [
    {
      id: "guest-1",
      name: "Guest One",
      family: "guest",
      version: "1",
      maxInputTokens: 1000,
      maxOutputTokens: 1000,
      capabilities: { toolCalling: true },
      isDefault: true,
      isUserSelectable: true,
    },
  ],
  provideLanguageModelChatResponse: () => {},
  provideTokenCount: () => 1,
};
