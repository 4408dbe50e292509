/** Why a server refused a request. */
export interface Challenge {
  status: number;
  /** The scopes that the request needs. */
  scope: string | undefined;
  resourceMetadataUrl: URL | undefined;
  /** True when the server asks for a token. */
  wantsToken: boolean;
  /** True when the token is valid but has too few scopes. */
  isStepUp: boolean;
  /** The token that the request had. */
  refused: string | undefined;
}

/** Thrown when a request is possible only after the user has signed in. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";
  readonly challenge: Challenge;

  constructor(challenge: Challenge) {
    super(`it refuses access (HTTP ${challenge.status}), even after you signed in.`);
    this.challenge = challenge;
  }
}

/** Thrown when there is no way to a token, with the reason for the user. */
export class SignInFailed extends Error {
  override readonly name: string = "SignInFailed";
}

/** Thrown when the user doesn't want to sign in. */
export class SignInDeclined extends SignInFailed {
  override readonly name = "SignInDeclined";
}
