/** What an extension did wrong, as hosts are told. */
export interface ExtensionFailure {
  extensionPath: string;
  event: string;
  error: string;
}
