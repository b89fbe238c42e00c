import { addressGroups } from "#service/http/address-groups.ts";

/** Longer addresses are cut to this length. */
const MAX_CHARACTERS = 64;

/**
 * The network an address is counted under: an IPv4 /24, or the IPv6 /48 commonly assigned to a
 * site. Anything else is returned unchanged.
 */
export function addressPrefix(address: string): string {
  const widest = addressGroups(address).at(-1)?.name ?? address;
  return widest.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24").slice(0, MAX_CHARACTERS);
}
