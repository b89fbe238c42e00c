import type { Migration } from "../migration.ts";

/** Health probes keep what the component answered, to tell what has changed. */
export const twitchFingerprint: Migration = {
  name: "0017-twitch-fingerprint",
  statements: [
    // JSON: answers, and names of what was sent; only of the component `twitch`.
    `ALTER TABLE health_probes ADD COLUMN fingerprint TEXT`,
  ],
};
