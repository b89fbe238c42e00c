import { Failure } from "#service/failure.ts";

/**
 * - `denied`: Twitch said no for good; the user has to sign in again.
 * - `unavailable`: Twitch could not be asked, or this service's own credentials are wrong; it says
 *   nothing about the user.
 */
export type OauthErrorKind = "denied" | "unavailable";

/** A refusal by Twitch's sign-in. Left alone, it reaches the client as `upstream_error`. */
export class OauthError extends Failure {
  readonly kind: OauthErrorKind;

  constructor(kind: OauthErrorKind, message: string, options?: ErrorOptions) {
    super("upstream_error", message, options);
    this.kind = kind;
  }
}
