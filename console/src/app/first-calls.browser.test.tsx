import { expect, onTestFinished, test } from "vitest";
import { validate } from "#contract/auth.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { hasFirstSteps } from "#console/features/dashboard/dashboard-queries.ts";
import { startOf } from "#console/lib/local-day.ts";
import { storedToken, storeGrant } from "#console/lib/session-store.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { buildAdmin } from "#console/testing/sign-in.ts";
import { FIRST_CALLS } from "../../../scripts/first-calls.ts";
import { SCREENS } from "./screens.ts";

const ID = "1234";

/** What `boot.js` puts in the place of the names. */
function filled(address: string): string {
  return address
    .replace("DAY_START", encodeURIComponent(startOf(new Date(), 0)))
    .replace("PAGE_SIZE", "20")
    .replace("&FIRST_STEPS", hasFirstSteps() ? "&setup=true" : "")
    .replace("LAST_PART", ID);
}

test.each(Object.entries(SCREENS))(
  "%s asks for what was asked for early",
  async (name, { path }) => {
    scriptService();
    storeGrant({
      token: "a".repeat(64),
      tokenExpiresAt: new Date(Date.now() + 900_000).toISOString(),
      streamTicket: "b".repeat(64),
      admin: buildAdmin(PERMISSIONS),
    });
    const bearer = storedToken() ?? "";
    // The session check is not the screen's.
    const addresses = (FIRST_CALLS[name] ?? []).filter((address) => address !== validate.path);
    expect(addresses).not.toHaveLength(0);
    const early = new Map(
      addresses.map((address) => {
        const response = Promise.resolve(new Response(null, { status: 404 }));
        return [filled(address), { bearer, response }];
      }),
    );
    globalThis.earlyAnswers = early;
    onTestFinished(() => {
      globalThis.earlyAnswers = undefined;
    });
    mountConsole(path.replace(/\$.+/, ID));
    await expect.poll(() => [...early.keys()]).toEqual([]);
  },
);
