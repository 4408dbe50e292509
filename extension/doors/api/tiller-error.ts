import type { TillerErrorCode } from "../../../agent/client/vscode-api.ts";

/** The error that other extensions get when a request of theirs fails. */
export class TillerError extends Error {
  readonly code: TillerErrorCode;

  constructor(code: TillerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TillerError";
    this.code = code;
  }
}
