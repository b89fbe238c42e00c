import { expect, test } from "vitest";
import { BUILT_IN_RULE, type Rule, ruleChangesSchema } from "#contract/channel-rules.ts";
import { readChannelName } from "./channel-names.ts";
import { type Judge, judgeBy, type JudgedVod } from "./rule.ts";

const DAY_MS = 86_400_000;
/** The channel was added on day 100; the VOD is an hour long and from the day after. */
const ADDED_MS = 100 * DAY_MS;
const VOD: JudgedVod = {
  kind: "archive",
  title: "Марафон #7: ÉLAN",
  durationSec: 3_600,
  recordedAtMs: 101 * DAY_MS,
  isGrowing: false,
};
const NOW_MS = VOD.recordedAtMs + 7_200_000;
const GROWING = { isGrowing: true };
const EARLIER = { recordedAtMs: ADDED_MS - 3_601_000 };

test.for<[string, Partial<Rule>, Partial<JudgedVod>, ReturnType<Judge>]>([
  ["everything new", {}, {}, null],
  ["another kind", { kinds: ["highlight", "upload"] }, {}, "kind"],
  ["exactly the shortest", { minDurationSec: 3_600 }, {}, null],
  ["a second less", { minDurationSec: 3_601 }, {}, "too_short"],
  ["an unknown length", { minDurationSec: 9 }, { durationSec: null }, null],
  ["a word in another case", { titleIncludes: ["x", "МАРАФОН"] }, {}, null],
  ["a decomposed word", { titleExcludes: ["e\u0301lan"] }, {}, "title_has_words"],
  ["no word of several", { titleIncludes: ["speedrun", "race"] }, {}, "title_lacks_words"],
  ["a part of a word", { titleIncludes: ["мара", "lan", "фон"] }, {}, "title_lacks_words"],
  [
    "a word that is also a part of one before",
    { titleIncludes: ["an"] },
    { title: "Élan: an" },
    null,
  ],
  ["several words and a sign", { titleExcludes: ["#7: élan"] }, {}, "title_has_words"],
  ["a part of a number", { titleExcludes: ["#7"] }, { title: "Race #70" }, null],
  [
    "a word of a script without spaces",
    { titleIncludes: ["雑談"] },
    { title: "今日の雑談配信" },
    null,
  ],
  ["a word with wildcards", { titleIncludes: ["М%н", "."] }, {}, "title_lacks_words"],
  ["what ended before", {}, EARLIER, "too_old"],
  ["an unknown end", {}, { recordedAtMs: ADDED_MS - 1, durationSec: null }, "too_old"],
  ["what was live when the channel was added", {}, { recordedAtMs: ADDED_MS - 3_600_000 }, null],
  ["what is live for long", {}, { recordedAtMs: 0, isGrowing: true }, null],
  ["two days back", { backDays: 2 }, { recordedAtMs: ADDED_MS - 2 * DAY_MS }, null],
  ["everything", { backDays: null }, { recordedAtMs: 0 }, null],
  ["what grows for long enough", { minDurationSec: 7_200 }, { ...GROWING, durationSec: 60 }, null],
  ["what grows", { minDurationSec: 7_201 }, { ...GROWING, durationSec: null }, "too_short"],
  ["the first of two reasons", { kinds: ["upload"] }, EARLIER, "kind"],
])("a rule judges %s", ([, changes, vod, reason]) => {
  expect(judgeBy({ ...BUILT_IN_RULE, ...changes })({ ...VOD, ...vod }, ADDED_MS, NOW_MS)).toBe(
    reason,
  );
});

test.each([
  { kinds: [] },
  { titleIncludes: [" "] },
  { retention: { keep: "days", days: 0 } },
  { retention: { keep: "count", count: 0 } },
])("a rule that means nothing, or keeps nothing, is refused: %j", (changes) => {
  expect(ruleChangesSchema.safeParse(changes).success).toBe(false);
});

test.for([
  ["PixelPilot", "pixelpilot"],
  [" @pixel_pilot ", "pixel_pilot"],
  ["twitch.tv/PixelPilot", "pixelpilot"],
  ["https://www.twitch.tv/pixelpilot/videos?filter=archives#top", "pixelpilot"],
  ["http://m.twitch.tv/pixelpilot/", "pixelpilot"],
  ["https://twitch.tv/popout/pixelpilot/chat", "pixelpilot"],
  ["https://player.twitch.tv/?channel=pixelpilot&parent=x", "pixelpilot"],
  ["https://dashboard.twitch.tv/u/pixelpilot/stream-manager", "pixelpilot"],
  ["500063", "500063"],
  ["@500063", "500063"],
  ["twitch.tv/team/abc", "not a channel's"],
  ["https://twitch.tv/videos/2000000002", "VOD"],
  ["https://twitch.tv/pixelpilot/v/2000000002", "VOD"],
  ["https://twitch.tv/directory/following", "not a channel's"],
  ["https://twitch.tv/", "not a channel's"],
  ["https://example.org/pixelpilot", "not a twitch.tv address"],
  ["ftp://twitch.tv/pixelpilot", "not a channel's"],
  ["two words", "not a channel's"],
  ["ПиксельПилот", "not a channel's"],
  ["", "not a channel's"],
  ["x".repeat(26), "not a channel's"],
])("“%s” is read as %s", ([entered = "", expected = ""]) => {
  const read = readChannelName(entered);
  expect("id" in read).toBe(/^\d+$/.test(entered));
  expect(Object.values(read)[0]).toContain(expected);
});
