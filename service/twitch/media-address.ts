import { isLoopback } from "#service/loopback.ts";

/** An address that may be fetched, or the reason in words why not. */
export type AddressVerdict =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly reason: string };

/** Twitch's longest are about 200 characters. */
const MAX_ADDRESS_LENGTH = 2_048;

/**
 * Decides where playlists and redirects may send us: only hosts of the list, https on its standard
 * port unless the list names another, and plain http only to this machine when the list says so.
 *
 * The text is judged before and after parsing, because the URL standard quietly repairs a lot: tabs
 * and backslashes vanish, and 0x7f.1 becomes 127.0.0.1.
 * @param allowedHosts `TWITCH_MEDIA_HOSTS`: names, `*.name` for any name below it, with `:port`
 *   where it is not 443
 */
export function judgeMediaAddress(
  address: string,
  allowedHosts: readonly string[],
): AddressVerdict {
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
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  if (!allowedHosts.some((entry) => isListed(entry, host, port)))
    return refused("is not on a host that media may come from");
  if (url.protocol !== "https:" && !isLoopback(host)) return refused("is not encrypted");
  url.hash = "";
  return { allowed: true, url };
}

function refused(reason: string): AddressVerdict {
  return { allowed: false, reason };
}

function authorityOf(address: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? "";
}

function isListed(entry: string, host: string, port: string): boolean {
  const match = /^(.+?)(?::(\d{1,5}))?$/.exec(entry.toLowerCase());
  const listedHost = match?.[1] ?? "";
  if ((match?.[2] ?? "443") !== port) return false;
  if (listedHost === host) return true;
  // A wildcard stands for names only, so that it never admits an address in numbers.
  return /^\*\.[^*]+$/.test(listedHost) && host.endsWith(listedHost.slice(1)) && !isIpAddress(host);
}

/**
 * After parsing, every form of an IPv4 address is four decimals and every IPv6 one is in brackets.
 */
function isIpAddress(host: string): boolean {
  return host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
