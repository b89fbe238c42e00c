import { expect, test } from "vitest";
import { isSignInAddress } from "./sign-in.ts";

test("a sign-in may lead to Twitch or its local stand-in", () => {
  expect(isSignInAddress("https://id.twitch.tv/oauth2/authorize?state=1")).toBe(true);
  expect(isSignInAddress("http://127.0.0.1:4510/oauth2/authorize")).toBe(true);
});

test.each([
  "http://id.twitch.tv/oauth2/authorize",
  "https://id.twitch.tv.evil.example/oauth2/authorize",
  "https://id.twitch.tv@evil.example/",
  "https://evil.example/?https://id.twitch.tv/",
  "javascript:alert(1)//localhost",
  "//evil.example",
  "/oauth2/authorize",
])("a sign-in may not lead to %s", (address) => {
  expect(isSignInAddress(address)).toBe(false);
});
