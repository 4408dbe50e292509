/** A failure of an extension, as reported to hosts. */
export interface ExtensionFailure {
  extensionPath: string;
  event: string;
  error: string;
  /** The MCP server that the user can sign in to. */
  signIn?: string;
}
