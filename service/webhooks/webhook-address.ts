import ipaddr from "ipaddr.js";
import { ApiError } from "#service/api-error.ts";
import { isLoopback } from "#service/loopback.ts";
import { RefusedAddressError, type ConnectionGuard } from "#service/ports/outgoing-fetch.ts";
import { isListed, parseWebAddress } from "#service/source/media-address.ts";

/**
 * Ranges that a listed host may be in. All others stay closed, above all link-local addresses,
 * where clouds hand out credentials.
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  "private",
  "uniqueLocal",
  "carrierGradeNat",
  "loopback",
]);

/** Never public either: IPv4-compatible and dummy addresses (RFC 4291, RFC 9780), and Azure's agent. */
const CLOSED = ["::/96", "100:0:0:1::/64", "168.63.129.16/32"].map((block) =>
  ipaddr.parseCIDR(block),
);

function rangeOf(ip: string): string {
  const address = ipaddr.process(ip);
  const range = address.range();
  const isClosed = CLOSED.some(
    ([block, bits]) => block.kind() === address.kind() && address.match(block, bits),
  );
  return range === "unicast" && isClosed ? "closed" : range;
}

/** @param listedHosts `WEBHOOK_HOSTS` */
export function createWebhookGuard(listedHosts: readonly string[]): ConnectionGuard {
  return (url, ip) => {
    const range = rangeOf(ip);
    if (range === "unicast" || (PRIVATE_RANGES.has(range) && isListed(url, listedHosts))) return;
    throw new RefusedAddressError(
      PRIVATE_RANGES.has(range)
        ? `leads to ${ip}, which is not public, and WEBHOOK_HOSTS does not list its host and port`
        : `leads to ${ip}, which is never allowed`,
    );
  };
}

/**
 * What can be said of an address before its name is resolved.
 * @throws {ApiError} `invalid_request` with a sentence that says what is wrong
 */
export function parseWebhookUrl(address: string, listedHosts: readonly string[]): URL {
  const verdict = parseWebAddress(address.trim());
  if (!verdict.allowed) throw invalidUrl(verdict.reason);
  const { url } = verdict;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  try {
    if (ipaddr.isValid(host)) createWebhookGuard(listedHosts)(url, host);
    else if (isLoopback(host)) createWebhookGuard(listedHosts)(url, "127.0.0.1");
  } catch (error) {
    if (!(error instanceof RefusedAddressError)) throw error;
    throw invalidUrl(error.message);
  }
  return url;
}

export function invalidUrl(fault: string): ApiError {
  return new ApiError("invalid_request", `That address ${fault}.`, { details: { url: fault } });
}
