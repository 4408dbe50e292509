/** The agent's name for the provider of the editor's language models. */
export const EDITOR_PROVIDER = "vscode";
