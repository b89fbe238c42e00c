/** Does not follow redirects: callers check each hop. */
export type OutgoingFetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Checks each connection to an address that an administrator entered: `ip` is what the URL's host
 * resolved to for this connection, so that a name that changes its address cannot lead elsewhere.
 * @throws {RefusedAddressError}
 */
export type ConnectionGuard = (
  url: Pick<URL, "hostname" | "port" | "protocol">,
  ip: string,
) => void;

/** The message completes a sentence about the address. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}
