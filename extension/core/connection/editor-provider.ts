/** The provider that the editor's language models belong to, as the agent knows it. */
export const EDITOR_PROVIDER = "vscode";
