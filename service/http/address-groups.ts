/** Addresses whose requests share a limit. */
export type AddressGroup = {
  readonly name: string;
  /** Factor on the limit for this group. */
  readonly allowance: number;
};

/** Many sites share one /48: a provider's customers, the floors of a building. */
const WIDE_ALLOWANCE = 16;

/**
 * The groups an address is counted in. An IPv6 site has at least a /64 and commonly a /48 (RFC
 * 6177), so its owner can use a new address for each request. Requests are therefore counted for
 * the /64 and, with a larger allowance, for the /48. An IPv4 address in any spelling is its own
 * group (RFC 4291 section 2.5.5.2), and so is text that is not an address.
 */
export function addressGroups(address: string): readonly AddressGroup[] {
  const groups = ipv6Groups(address);
  if (groups === null) return [{ name: address, allowance: 1 }];
  const [, , , , , mark, high = 0, low = 0] = groups;
  if (mark === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    const bytes = [high >> 8, high & 0xff, low >> 8, low & 0xff];
    return [{ name: bytes.join("."), allowance: 1 }];
  }
  return [
    { name: prefixOf(groups, 64), allowance: 1 },
    { name: prefixOf(groups, 48), allowance: WIDE_ALLOWANCE },
  ];
}

function prefixOf(groups: readonly number[], bits: 48 | 64): string {
  const kept = groups.slice(0, bits / 16).map((group) => group.toString(16));
  return `${kept.join(":")}::/${bits}`;
}

/** The eight groups of an IPv6 address; null for anything else. */
function ipv6Groups(address: string): readonly number[] | null {
  if (!address.includes(":")) return null;
  const withoutZone = address.split("%", 1)[0] ?? "";
  if (!URL.canParse(`http://[${withoutZone}]`)) return null;
  // The URL standard serializes it canonically: hexadecimal, with one run of zeros omitted.
  const text = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const before = readGroups(head);
  const after = readGroups(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

function readGroups(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
