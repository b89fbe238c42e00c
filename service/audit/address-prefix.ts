import { addressGroups } from "#service/http/address-groups.ts";

/** What is recorded as an address, however long its text. */
const MAX_CHARACTERS = 64;

/**
 * The network that an address is counted in: an IPv4 /24, or the IPv6 /48 that a site is commonly
 * assigned. Anything else stays as it is.
 */
export function addressPrefix(address: string): string {
  const widest = addressGroups(address).at(-1)?.name ?? address;
  return widest.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24").slice(0, MAX_CHARACTERS);
}
