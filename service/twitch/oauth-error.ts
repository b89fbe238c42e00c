import { ApiError } from "#service/api-error.ts";

/**
 * - `denied`: a final refusal; the user has to sign in again.
 * - `unavailable`: Twitch could not be reached, or this service's own credentials are wrong; the
 *   user's tokens may still be valid.
 */
export type OauthErrorKind = "denied" | "unavailable";

/** An error of Twitch's sign-in. If not caught, the client gets `upstream_error`. */
export class OauthError extends ApiError {
  readonly kind: OauthErrorKind;

  constructor(kind: OauthErrorKind, message: string, options?: ErrorOptions) {
    super("upstream_error", message, options);
    this.kind = kind;
  }
}
