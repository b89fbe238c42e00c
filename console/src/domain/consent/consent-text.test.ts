import { expect, test } from "vitest";
import { CONSENT_TEXT_VERSION } from "#contract/consent.ts";
import { consentText } from "./consent-text.ts";

type Invited = "by a person" | "without a link";

/** The SHA-256 of each version, so that no text changes under a version that people agreed to. */
const DIGESTS: Readonly<Record<number, Readonly<Partial<Record<Invited, string>>>>> = {
  1: { "by a person": "0327223760abe25bcf2c16649a017dd11cf4887ced72511eb39fbdf0ce537400" },
  2: {
    "by a person": "fe583ee1681f57faaf64dc2c8139389d4f1ead10b2bd68ffe11802788357c2d9",
    "without a link": "8c9320f13c7e7ff72b7f53f1c8877ad963e729cb5600fd20a8d3d6f32b4ae9ef",
  },
};

test.each([
  ["by a person", "PERSON"],
  ["without a link", null],
] as const)(
  "the text for an owner who is invited %s is the one of its version",
  async (invited, invitedBy) => {
    const text = consentText({ host: "HOST", invitedBy, ownPage: "PAGE" });
    const bytes = new TextEncoder().encode(JSON.stringify(text));
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
    expect(digest).toBe(DIGESTS[CONSENT_TEXT_VERSION]?.[invited]);
  },
);
