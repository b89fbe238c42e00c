import * as z from "zod/mini";
import { twitchUserIdSchema, type TwitchVodId } from "#contract/ids.ts";
import { createHelixRequest } from "#service/twitch/helix-request.ts";
import { type HelixVideo, helixVideoSchema } from "#service/twitch/helix-shapes.ts";
import { parseJson } from "#service/parse-json.ts";
import { readVodState } from "#service/twitch/playback-token.ts";
import { createTwitchApi } from "#service/twitch/twitch-api.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Live channels that are listed. */
export const LIVE_CHANNELS = 20;

/** Live channels that are asked for a finished VOD; many keep none. */
const MAX_CHANNELS = 5;

/** Fields that the service reads (service/twitch/helix-shapes.ts). */
const USED_FIELDS = [
  "id",
  "user_id",
  "user_login",
  "user_name",
  "title",
  "created_at",
  "thumbnail_url",
  "type",
  "duration",
];

/**
 * A VOD to try everything on: the given one, or the newest one of a channel that is live now.
 * `firstChannel`, from 0, selects where the search among the live channels begins.
 */
export async function findSample(
  twitch: TwitchCheckup,
  given: TwitchVodId | null,
  firstChannel = 0,
): Promise<HelixVideo | null> {
  const { checkup, context, appToken, gql, signal, recorded } = twitch;
  const video = await checkup.check("Sample VOD", async (say) => {
    const found =
      given === null
        ? await findFinished(twitch, firstChannel)
        : await createTwitchApi(context, appToken).video(given, signal);
    if (found === null)
      say(
        "problem",
        "Twitch shows no VOD to try. Name one: vodkeep doctor --vod NUMBER.",
        "sample",
      );
    else say("ok", `${found.id} of ${found.user_login}, ${found.duration ?? "of unknown length"}`);
    return found;
  });
  if (video === null) return null;
  await checkup.check("Helix fields", async (say) => {
    const listed = recorded
      .filter(({ url }) => new URL(url).pathname.endsWith("/videos"))
      .flatMap(({ text }) => parseJson(rawSchema, text)?.data ?? []);
    for (const fields of listed)
      for (const [name, value] of Object.entries(fields))
        checkup.saw(`field ${name} of a Helix video, ${value === null ? "null" : typeof value}`);
    const empty = USED_FIELDS.filter((name) =>
      listed.some((fields) => (fields[name] ?? null) === null),
    );
    if (empty.length > 0) say("advice", `Twitch leaves out ${empty.join(", ")}.`);
  });
  await checkup.check("Helix and web API agree", async (say) => {
    if ((await readVodState(gql, video.id, signal)) === "missing")
      say("problem", `Helix lists VOD ${video.id}, and the web API does not know it. Try later.`);
  });
  return video;
}

const rawSchema = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

async function findFinished(
  { context, appToken, signal }: TwitchCheckup,
  firstChannel: number,
): Promise<HelixVideo | null> {
  const ask = createHelixRequest(context, appToken);
  const streamSchema = z.object({ user_id: twitchUserIdSchema });
  const { items: streams } = await ask(
    "/streams",
    [["first", String(LIVE_CHANNELS)]],
    streamSchema,
    signal,
  );
  const first = streams.length === 0 ? 0 : firstChannel % streams.length;
  const rotated = [...streams.slice(first), ...streams.slice(0, first)];
  for (const { user_id } of rotated.slice(0, MAX_CHANNELS)) {
    const query = [
      ["user_id", user_id],
      ["type", "archive"],
      ["first", "5"],
    ] as const;
    const { items: videos } = await ask("/videos", query, helixVideoSchema, signal);
    // While a broadcast is recorded, its picture is being processed.
    const finished = videos.find(({ thumbnail_url }) =>
      /^https?:(?!.*\/_404\/)/.test(thumbnail_url ?? ""),
    );
    if (finished !== undefined) return finished;
  }
  return null;
}
