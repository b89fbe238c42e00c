import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { SettingsError } from "#service/settings.ts";

export type ClientAddressReader = (
  request: Pick<IncomingMessage, "headers"> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
) => string;

/**
 * Determines the client address that request limits apply to. Each proxy appends its peer's address
 * to `X-Forwarded-For`, so only entries written by trusted proxies are believed: the list is read
 * from the right, up to the first address that is not a trusted proxy. The client may have forged
 * everything left of it (developer.mozilla.org, X-Forwarded-For, "Selecting an IP address").
 *
 * `onIgnored` is called once, at the first such header while no proxy is trusted: then all clients
 * of a proxy share one limit.
 *
 * @throws {SettingsError} as {@link trustedProxyMatcher}
 */
export function clientAddressReader(
  trustedProxies: readonly string[],
  onIgnored: () => void = () => undefined,
): ClientAddressReader {
  let isTold = false;
  const isTrusted = trustedProxyMatcher(trustedProxies);

  return ({ headers, socket }) => {
    let address = plainAddress(socket.remoteAddress ?? "unknown");
    const forwarded = headers["x-forwarded-for"];
    if (forwarded !== undefined && trustedProxies.length === 0 && !isTold) {
      isTold = true;
      onIgnored();
    }
    const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",");
    while (isTrusted(address)) {
      const hop = plainAddress(hops.pop()?.trim() ?? "");
      // No more entries, or one that no proxy would write: the last known address counts.
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/**
 * Whether an address is one of a trusted proxy.
 *
 * @throws {SettingsError} when an entry is neither an address nor a range of addresses, or is wider than
 *   a network of one's own
 */
export function trustedProxyMatcher(
  trustedProxies: readonly string[],
): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustedProxies) trustEntry(trusted, entry);
  return (address) => {
    const family = familyOf(plainAddress(address));
    return family !== null && trusted.check(plainAddress(address), family);
  };
}

/** The widest private networks are 10.0.0.0/8 and fc00::/7 (RFC 1918, RFC 4193). */
const WIDEST_PREFIX = 7;

function trustEntry(trusted: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const family = familyOf(address);
  const bits = family === "ipv4" ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : bits + 1;
  if (family === null || length > bits || rest.length > 0)
    throw new SettingsError(
      `TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8; "${entry}" is not one.`,
    );
  if (length < WIDEST_PREFIX)
    throw new SettingsError(
      `TRUSTED_PROXIES must not contain "${entry}": every client could choose its own address.`,
    );
  trusted.addSubnet(address, length, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}

/** Dual-stack sockets report IPv4 addresses as IPv6 ones (RFC 4291 section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
