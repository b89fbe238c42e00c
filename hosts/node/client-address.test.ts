import * as fc from "fast-check";
import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import { clientAddressReader } from "./client-address.ts";

function addressOf(
  trustedProxies: readonly string[],
  remoteAddress: string,
  forwardedFor?: string,
): string {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  return clientAddressReader(trustedProxies)({ headers, socket: { remoteAddress } });
}

describe("the client address", () => {
  it("is the peer's address if no proxy is trusted, regardless of the header", () => {
    expect(addressOf([], "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
  });

  it("is the address set by a trusted proxy", () => {
    expect(addressOf(["127.0.0.1"], "127.0.0.1", "203.0.113.9")).toBe("203.0.113.9");
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "2001:db8::7")).toBe("2001:db8::7");
    expect(addressOf(["fd00::/8"], "fd12::1", "203.0.113.9")).toBe("203.0.113.9");
  });

  it("is not an address that the client added to the header", () => {
    const forged = "192.0.2.1, 10.0.0.7, 203.0.113.9";
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", forged)).toBe("203.0.113.9");
  });

  it("is found behind multiple trusted proxies", () => {
    const through = "198.51.100.66, 203.0.113.9, 10.0.0.8, 10.0.0.7";
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", through)).toBe("203.0.113.9");
  });

  it("is the peer's address if the peer is not a trusted proxy", () => {
    expect(addressOf(["10.0.0.0/8"], "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
  });

  it("is the last valid address before an invalid entry", () => {
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "unknown")).toBe("10.1.2.3");
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "203.0.113.9, ,")).toBe("10.1.2.3");
    expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "203.0.113.9, _x:1, 10.0.0.7")).toBe("10.0.0.7");
  });

  it("is the same for IPv4 and IPv4-mapped IPv6", () => {
    expect(addressOf(["10.0.0.0/8"], "::ffff:10.1.2.3", "::ffff:203.0.113.9")).toBe("203.0.113.9");
    expect(addressOf([], "::ffff:203.0.113.9")).toBe("203.0.113.9");
  });

  it("does not depend on entries left of an untrusted address", () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (forged, client) => {
        fc.pre(!client.startsWith("10."));
        const address = addressOf(["10.0.0.0/8"], "10.1.2.3", `${forged}, ${client}`);
        expect(address).toBe(client);
        expect(isIP(address)).toBe(4);
      }),
    );
  });
});

it("rejects a setting with an invalid address or a range of strangers", () => {
  for (const entry of ["proxy.example", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", "::/129"])
    expect(() => clientAddressReader([entry])).toThrow(/^TRUSTED_PROXIES .*is not one\.$/);
  for (const entry of ["0.0.0.0/0", "0.0.0.0/1", "::/0", "c000::/6"])
    expect(() => clientAddressReader([entry])).toThrow(/^TRUSTED_PROXIES must not contain /);
});

it("reports only once that a header is ignored because no proxy is trusted", () => {
  let told = 0;
  const read = clientAddressReader([], () => void (told += 1));
  const socket = { remoteAddress: "127.0.0.1" };
  read({ headers: {}, socket });
  expect(told).toBe(0);
  for (let count = 0; count < 3; count++)
    read({ headers: { "x-forwarded-for": "203.0.113.9" }, socket });
  expect(told).toBe(1);
});

it("does not report an untrusted client's header if a proxy is trusted", () => {
  let told = 0;
  const read = clientAddressReader(["10.0.0.1"], () => void (told += 1));
  read({ headers: { "x-forwarded-for": "1.2.3.4" }, socket: { remoteAddress: "203.0.113.9" } });
  expect(told).toBe(0);
});
