import { expect, test } from "vitest";
import { type Broadcasting, type BroadcastState, judgeEnd } from "./broadcast-end.ts";

const NINE_MINUTES_MS = 540_000;
const TEN_MINUTES_MS = 600_000;

test.each<readonly [string, readonly Broadcasting[], number | null, number, BroadcastState]>([
  ["everything agrees", ["ended", "ended", "ended"], 200, 0, "final"],
  ["one witness is late", ["ended", "ended", "live"], 200, NINE_MINUTES_MS, "tail"],
  ["one witness never knows", ["ended", "live", "ended"], 200, TEN_MINUTES_MS, "final"],
  ["one witness does not answer", ["ended", "unanswered", "ended"], 200, 0, "final"],
  ["only the playlist has ended", ["ended", "live", "live"], 200, TEN_MINUTES_MS, "live"],
  ["nobody else answers", ["ended", "unanswered", "unanswered"], 200, TEN_MINUTES_MS, "live"],
  ["only one source says so", ["live", "ended", "unanswered"], 200, TEN_MINUTES_MS, "live"],
  ["the playlist never ends", ["live", "ended", "ended"], 200, TEN_MINUTES_MS, "final"],
  ["a segment is missing", ["ended", "ended", "ended"], 215, 0, "final"],
  ["two segments are missing", ["ended", "ended", "ended"], 216, NINE_MINUTES_MS, "tail"],
  ["two segments stay missing", ["ended", "ended", "ended"], 216, TEN_MINUTES_MS, "final"],
  ["the stated duration is outdated", ["ended", "ended", "ended"], 184, 0, "tail"],
  ["no duration is stated", ["ended", "ended", "ended"], null, NINE_MINUTES_MS, "tail"],
  ["none is stated for long", ["ended", "ended", "ended"], null, TEN_MINUTES_MS, "final"],
])("judges a broadcast of 200 s when %s", (_, witnesses, statedSec, silentForMs, state) => {
  expect(judgeEnd({ witnesses, playlistSec: 200, statedSec, silentForMs })).toBe(state);
});
