import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateMediaAddress } from "./media-address.ts";

const allowed = [
  "*.cloudfront.net",
  "*.twitch.tv",
  "vod.example.com:8443",
  "127.0.0.1:4600",
  "[::1]:4600",
  "plain.example.com:80",
];

describe("evaluateMediaAddress allows", () => {
  it.each([
    "https://d2nvs31859zcd8.cloudfront.net/abc_streamer_1_2/chunked/index-dvr.m3u8",
    "https://D2NVS31859ZCD8.CloudFront.net/0.ts",
    "https://vod-secure.twitch.tv:443/0.ts",
    "https://a.b.cloudfront.net/0.ts?start_offset=1&end_offset=2",
    "https://vod.example.com:8443/0.ts",
    "http://127.0.0.1:4600/media/0.ts",
    "https://127.0.0.1:4600/media/0.ts",
    "http://[::1]:4600/media/0.ts",
  ])("%s", (address) => {
    expect(evaluateMediaAddress(address, allowed).allowed).toBe(true);
  });

  it("an address with a fragment, which it removes", () => {
    const verdict = evaluateMediaAddress("https://d1.cloudfront.net/0.ts#x", allowed);
    expect(verdict).toMatchObject({ allowed: true, url: { hash: "" } });
  });
});

describe("evaluateMediaAddress rejects", () => {
  it.each([
    // Other hosts, and names that only look alike.
    "https://evil.example/0.ts",
    "https://cloudfront.net/0.ts",
    "https://evilcloudfront.net/0.ts",
    "https://cloudfront.net.evil.example/0.ts",
    "https://d1.cloudfront.net.evil.example/0.ts",
    "https://d1.cloudfront.net@evil.example/0.ts",
    "https://evil.example/d1.cloudfront.net/0.ts",
    "https://evil.example?d1.cloudfront.net",
    "https://evil.example#.cloudfront.net",
    "https://evil.example\\.cloudfront.net/0.ts",
    "https://d1.cloudfront.net%2eevil.example/0.ts",
    "https://d1%2ecloudfront%2enet/0.ts",
    "https://localhost/0.ts",
    "https://metadata.google.internal/computeMetadata/v1/",
    // Ports that are not on the list.
    "https://d1.cloudfront.net:8443/0.ts",
    "https://d1.cloudfront.net:22/0.ts",
    "https://vod.example.com/0.ts",
    "https://127.0.0.1/0.ts",
    "http://127.0.0.1:4601/0.ts",
    "http://[::1]:22/0.ts",
    // Without encryption.
    "http://d1.cloudfront.net/0.ts",
    "http://plain.example.com/0.ts",
    "http://plain.example.com:80/0.ts",
    // Credentials.
    "https://user:pass@d1.cloudfront.net/0.ts",
    "https://user@d1.cloudfront.net/0.ts",
    "https://@d1.cloudfront.net/0.ts",
    "https://:@d1.cloudfront.net/0.ts",
    // Loopback, link-local and private addresses, in every spelling.
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/0.ts",
    "https://192.168.1.1/0.ts",
    "https://0.0.0.0/0.ts",
    "http://0x7f.0.0.1:4600/0.ts",
    "http://0177.0.0.1:4600/0.ts",
    "http://2130706433:4600/0.ts",
    "http://0x7f000001:4600/0.ts",
    "http://127.1:4600/0.ts",
    "http://127.0.1:4600/0.ts",
    "http://127.0.0.1.:4600/0.ts",
    "http://127.0.0.2:4600/0.ts",
    "http://①②⑦.⓪.⓪.①:4600/0.ts",
    "https://[::ffff:127.0.0.1]/0.ts",
    "http://[::ffff:127.0.0.1]:4600/0.ts",
    "http://[::ffff:7f00:1]:4600/0.ts",
    "http://[0:0:0:0:0:0:0:1]:4600/0.ts",
    "https://[fd00::1]/0.ts",
    "https://[fe80::1%25eth0]/0.ts",
    "https://[64:ff9b::a9fe:a9fe]/0.ts",
    // Names in unusual forms.
    "https://d1.cloudfront.net./0.ts",
    "https://xn--d1-cloudfront-abc.cloudfront.net/0.ts",
    "https://d1.xn--cloudfrnt-q4a.net/0.ts",
    "https://ｄ1.cloudfront.net/0.ts",
    "https://d1。cloudfront。net/0.ts",
    "https://d1.cloudfront\u00AD.net/0.ts",
    // Other schemes, and addresses that parsers normalize.
    "ftp://d1.cloudfront.net/0.ts",
    "file:///etc/passwd",
    "data:video/mp2t;base64,Rw==",
    "javascript:alert(1)",
    "blob:https://d1.cloudfront.net/1",
    "//d1.cloudfront.net/0.ts",
    "/0.ts",
    "https:d1.cloudfront.net/0.ts",
    "https:/d1.cloudfront.net/0.ts",
    "https:///d1.cloudfront.net/0.ts",
    "https:\\\\d1.cloudfront.net\\0.ts",
    "https://d1.cloudfront.net\\@evil.example/0.ts",
    "ht\ntps://d1.cloudfront.net/0.ts",
    "https://d1.cloud\tfront.net/0.ts",
    " https://d1.cloudfront.net/0.ts",
    "https://d1.cloudfront.net/0.ts\r\nHost: evil.example",
    "https://d1.cloudfront.net/0 .ts",
    "https://",
    "",
    `https://d1.cloudfront.net/${"a".repeat(2_048)}`,
  ])("%j", (address) => {
    const verdict = evaluateMediaAddress(address, allowed);
    expect(verdict.allowed).toBe(false);
    expect(JSON.stringify(verdict)).not.toContain("pass");
  });

  it("every host when the list is empty or contains only wildcards", () => {
    for (const list of [[], ["*"], ["*."], ["*.*"]])
      expect(evaluateMediaAddress("https://d1.cloudfront.net/0.ts", list).allowed).toBe(false);
  });

  it("an IP address that matches a wildcard", () => {
    expect(evaluateMediaAddress("http://127.0.0.1:4600/0.ts", ["*.0.0.1:4600"]).allowed).toBe(
      false,
    );
  });

  it("any text whose host is not on the list", () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withFragments: true }), fc.string()), (address) => {
        const verdict = evaluateMediaAddress(address, allowed);
        const host = verdict.allowed ? verdict.url.host : "d1.cloudfront.net";
        expect(host).toMatch(/\.cloudfront\.net$|\.twitch\.tv$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
