/** A failure of an extension, as reported to hosts. */
export interface ExtensionFailure {
  extensionPath: string;
  event: string;
  error: string;
}
