import { expect, test } from "vitest";
import { ApiError } from "#service/api-error.ts";
import { createWebhookGuard, parseWebhookUrl } from "./webhook-address.ts";

test.each([
  ["8.8.8.8", true, true],
  ["2606:4700::1", true, true],
  ["10.0.0.1", false, true],
  ["127.0.0.1", false, true],
  ["::1", false, true],
  ["::ffff:10.0.0.1", false, true],
  ["fd00::1", false, true],
  ["100.64.0.1", false, true],
  ["169.254.169.254", false, false],
  ["::ffff:169.254.169.254", false, false],
  ["64:ff9b::a9fe:a9fe", false, false],
  ["fe80::1", false, false],
  ["::7f00:1", false, false],
  ["100:0:0:1::1", false, false],
  ["168.63.129.16", false, false],
  ["0.0.0.0", false, false],
  ["::", false, false],
  ["224.0.0.1", false, false],
  ["255.255.255.255", false, false],
])("%s: reachable by any name %s, by a listed one %s", (ip, byAny, byListed) => {
  const guard = createWebhookGuard(["listed.lan:80"]);
  const reaches = (hostname: string) => {
    try {
      guard({ hostname, port: "", protocol: "http:" }, ip);
      return true;
    } catch {
      return false;
    }
  };
  expect([reaches("other.lan"), reaches("listed.lan")]).toEqual([byAny, byListed]);
});

test.each([
  "http://169.254.169.254/latest",
  "http://[::ffff:a00:1]/",
  "http://2130706433/",
  "http://localhost/",
  "ftp://example.org/",
  "https://user:password@example.org/",
])("%s is refused at once", (url) => {
  expect(() => parseWebhookUrl(url, ["listed.lan:80"])).toThrow(ApiError);
});
