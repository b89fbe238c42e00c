import { isLoopback } from "#service/loopback.ts";

/** The parsed address if it may be fetched, or the reason why not. */
export type AddressVerdict =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly reason: string; readonly isUnlisted: boolean };

/** Twitch's longest addresses have about 200 characters. */
const MAX_ADDRESS_LENGTH = 2_048;

/**
 * Checks addresses of playlists and redirects against an allowlist: https on port 443 unless the
 * list names another port, and plain http only for listed loopback hosts.
 * @param allowedHosts names, as in `TWITCH_MEDIA_HOSTS`; `*.name` for any name below it, with `:port`
 *   where it is not 443
 */
export function evaluateMediaAddress(
  address: string,
  allowedHosts: readonly string[],
): AddressVerdict {
  const verdict = parseWebAddress(address);
  if (!verdict.allowed) return verdict;
  const { url } = verdict;
  if (!isListed(url, allowedHosts))
    return { ...refused("is not on a host that media may come from"), isUnlisted: true };
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) return refused("is not encrypted");
  url.hash = "";
  return { allowed: true, url };
}

/**
 * An address is checked before and after parsing, because URL parsing silently normalizes: it drops
 * tabs, converts backslashes, and turns 0x7f.1 into 127.0.0.1.
 */
export function parseWebAddress(address: string): AddressVerdict {
  if (address.length > MAX_ADDRESS_LENGTH) return refused("is too long");
  if (!/^https?:\/\/[^/\\@]/i.test(address)) return refused("is not a web address");
  if (!/^[\x21-\x7E]+$/.test(address) || /[\\<>"^`{|}]/.test(address))
    return refused("has characters that an address may not have");
  const url = URL.parse(address);
  if (url === null) return refused("is not a web address");
  if (url.username !== "" || url.password !== "" || authorityOf(address).includes("@"))
    return refused("carries credentials");
  const host = url.hostname;
  if (host.split(".").some((label) => label.startsWith("xn--")))
    return refused("has a host name in an unusual form");
  if (authorityOf(address).replace(/:\d*$/, "").toLowerCase() !== host)
    return refused("has a host name in an unusual form");
  return { allowed: true, url };
}

function refused(reason: string) {
  return { allowed: false, reason, isUnlisted: false } as const;
}

function authorityOf(address: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? "";
}

/** Whether a list such as `TWITCH_MEDIA_HOSTS` has the URL's host and port. */
export function isListed(
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
  hosts: readonly string[],
): boolean {
  const effectivePort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return hosts.some((entry) => matches(entry, hostname, effectivePort));
}

function matches(entry: string, host: string, port: string): boolean {
  const match = /^(.+?)(?::(\d{1,5}))?$/.exec(entry.toLowerCase());
  const listedHost = match?.[1] ?? "";
  if ((match?.[2] ?? "443") !== port) return false;
  if (listedHost === host) return true;
  // A wildcard matches only names, never an IP address.
  return /^\*\.[^*]+$/.test(listedHost) && host.endsWith(listedHost.slice(1)) && !isIpAddress(host);
}

/** Parsing turns every IPv4 address into four decimals and puts every IPv6 address in brackets. */
function isIpAddress(host: string): boolean {
  return host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
