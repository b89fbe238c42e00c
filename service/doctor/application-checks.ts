import * as z from "zod/mini";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { redirectAdvice } from "#service/settings.ts";
import { requestText, API_LIMITS } from "#service/source/upstream-request.ts";
import { createTwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { parseJson } from "#service/parse-json.ts";
import { quoteTwitch, readTwitchWords, type TwitchWords } from "#service/twitch/twitch-words.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Identity tokens tolerate no more (service/auth/identity-token.ts). */
const MAX_CLOCK_ERROR_SEC = 300;

/** Application, redirect address, administrators, and the clock by Twitch's. */
export async function checkApplication(twitch: TwitchCheckup): Promise<void> {
  const { checkup, sightings, context, appToken, api, signal } = twitch;
  const { settings, platform } = context;
  await checkup.check("Twitch application", async (say) => {
    const token = await appToken.get();
    const answer = await requestText(
      platform.fetch,
      "Twitch's sign-in",
      `${settings.TWITCH_ID_URL}/oauth2/validate`,
      { headers: { authorization: `OAuth ${token}` } },
      API_LIMITS,
      signal,
    );
    const named = parseJson(z.object({ client_id: z.string() }), answer.text)?.client_id;
    if (named !== settings.TWITCH_CLIENT_ID)
      say("problem", "Twitch's token is for another application. Check TWITCH_CLIENT_ID.");
  });
  await checkup.check("Clock", async (say) => {
    const statedMs = Date.parse(sightings.dateText() ?? "");
    const errorSec = Math.round((platform.clock.now() - statedMs) / 1_000);
    if (Number.isNaN(errorSec)) say("advice", "Twitch's time is not known.");
    else if (Math.abs(errorSec) > MAX_CLOCK_ERROR_SEC)
      say("advice", `This machine's clock is ${errorSec} s ahead of Twitch's. Set it.`);
  });
  await checkup.check("Redirect address", async (say) => {
    const oauth = createTwitchOauth(platform, settings);
    const answer = await requestText(
      platform.fetch,
      "Twitch's sign-in",
      oauth.authorizeUrl({ state: "doctor", nonce: "doctor" }),
      {},
      API_LIMITS,
      signal,
    );
    const said = refusalOf(answer.status, answer.headers.get("location"), answer.text);
    if (said === null) return;
    say("advice", quoteTwitch(redirectAdvice(settings), said));
  });
  await checkup.check("Administrators", async (say) => {
    const ids = settings.ADMIN_TWITCH_IDS.map((id) => twitchUserIdSchema.parse(id));
    const known = await api.users(ids, signal);
    const unknown = ids.filter((id) => !known.some((user) => user.id === id));
    if (unknown.length > 0)
      say("advice", `Twitch does not know ${unknown.join(", ")}. Correct ADMIN_TWITCH_IDS.`);
    else say("ok", known.map((user) => user.login).join(", "));
  });
}

/** A registered address leads to the sign-in page; another is refused, or leads back with an error. */
function refusalOf(status: number, location: string | null, text: string): TwitchWords | null {
  const query = location === null ? null : URL.parse(location)?.searchParams;
  const error = query?.get("error") ?? null;
  if (error !== null) return { code: error, text: query?.get("error_description") ?? "" };
  return status < 400 ? null : readTwitchWords(text);
}
