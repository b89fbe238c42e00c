import { expect, test } from "vitest";
import { addressGroups } from "./address-groups.ts";

const namesOf = (address: string) => addressGroups(address).map((group) => group.name);

test("an IPv6 address belongs to its /64 and, with a larger allowance, to its /48", () => {
  expect(addressGroups("2001:db8:1:2:3:4:5:6")).toEqual([
    { name: "2001:db8:1:2::/64", allowance: 1 },
    { name: "2001:db8:1::/48", allowance: 16 },
  ]);
  expect(namesOf("2001:0DB8:1:2::9")).toEqual(namesOf("2001:db8:1:2:3:4:5:6"));
  expect(namesOf("2001:db8:1:3::9")[1]).toBe(namesOf("2001:db8:1:2::9")[1]);
  expect(namesOf("::1")).toEqual(["0:0:0:0::/64", "0:0:0::/48"]);
  expect(namesOf("fe80::1%eth0")).toEqual(["fe80:0:0:0::/64", "fe80:0:0::/48"]);
});

test("an IPv4 address is a group of its own, even in IPv6 notation", () => {
  expect(namesOf("203.0.113.9")).toEqual(["203.0.113.9"]);
  expect(namesOf("::ffff:203.0.113.9")).toEqual(["203.0.113.9"]);
  expect(namesOf("0:0:0:0:0:FFFF:cb00:7109")).toEqual(["203.0.113.9"]);
});

test("an invalid address is grouped by its text", () => {
  for (const text of ["unknown", "", "a:b", "1::2::3"]) expect(namesOf(text)).toEqual([text]);
});
