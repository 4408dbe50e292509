import type { TillerErrorCode } from "../../../agent/client/vscode-api.ts";

/** What other extensions are told when something they asked for was not done. */
export class TillerError extends Error {
  readonly code: TillerErrorCode;

  constructor(code: TillerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TillerError";
    this.code = code;
  }
}
