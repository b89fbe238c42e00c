import { expect, test } from "vitest";
import { CONSENT_TEXT_VERSION } from "#contract/consent.ts";
import { consentText } from "./consent-text.ts";

/** The SHA-256 of each version, so that no text changes under a version that people agreed to. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: "0327223760abe25bcf2c16649a017dd11cf4887ced72511eb39fbdf0ce537400",
};

test("the text is the one of its version", async () => {
  const text = consentText({ host: "HOST", invitedBy: "PERSON", ownPage: "PAGE" });
  const bytes = new TextEncoder().encode(JSON.stringify(text));
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
  expect(digest).toBe(DIGESTS[CONSENT_TEXT_VERSION]);
});
