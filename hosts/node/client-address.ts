import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { SettingsError } from "#service/settings.ts";

export type ClientAddressReader = (
  request: Pick<IncomingMessage, "headers"> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
) => string;

/**
 * Whose request it is, which request limits go by. Each proxy appends to `X-Forwarded-For` the
 * address it was asked from, so only what trusted proxies wrote is believed: the list is read from
 * its right end, up to the first address that is not one of theirs. Whatever stands left of that
 * the client may have made up (developer.mozilla.org, X-Forwarded-For, "Selecting an IP address").
 *
 * `onIgnored` is called once, at the first such header while no proxy is trusted: then all clients of a
 * proxy share one limit.
 *
 * @throws {SettingsError} when an entry is neither an address nor a range of addresses
 */
export function clientAddressReader(
  trustedProxies: readonly string[],
  onIgnored: () => void = () => undefined,
): ClientAddressReader {
  let isTold = false;
  const trusted = new BlockList();
  for (const entry of trustedProxies) trustEntry(trusted, entry);

  return ({ headers, socket }) => {
    let address = plainAddress(socket.remoteAddress ?? "unknown");
    const forwarded = headers["x-forwarded-for"];
    if (forwarded !== undefined && trustedProxies.length === 0 && !isTold) {
      isTold = true;
      onIgnored();
    }
    const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",");
    while (isTrusted(trusted, address)) {
      const hop = plainAddress(hops.pop()?.trim() ?? "");
      // Nothing more, or nothing that a proxy would write: the last known address counts.
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

function trustEntry(trusted: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const family = familyOf(address);
  const bits = family === "ipv4" ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : bits + 1;
  if (family === null || length > bits || rest.length > 0)
    throw new SettingsError(
      `TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8; "${entry}" is not one.`,
    );
  trusted.addSubnet(address, length, family);
}

function isTrusted(trusted: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== null && trusted.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}

/** A socket that listens for both families names IPv4 addresses as IPv6 ones (RFC 4291 section 2.5.5.2). */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
