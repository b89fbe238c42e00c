import { calmFlying, makeVod, type VodDraft } from "./vod-draft.ts";
import { mp4Ladder } from "./ladders.ts";
import type { Vod } from "./vod.ts";

/** VODs for trying out the product; ids 2000000001 to 2000000099. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type DemoVod = VodDraft & { readonly daysAgo: number };

const music = { id: "26936", name: "Music" };
const chatting = { id: "509658", name: "Just Chatting" };

/** The two-hour VOD of about 285 MB takes three quarters of a minute, so progress is visible. */
const DEMO_PACE_BYTES_PER_SECOND = 6_000_000;

function demos(): Readonly<Record<string, DemoVod>> {
  return {
    "2000000001": {
      title: "Two hours of calm flying",
      segmentCount: 720,
      daysAgo: 1,
      games: [chatting, calmFlying],
      paceBytesPerSecond: DEMO_PACE_BYTES_PER_SECOND,
    },
    "2000000002": {
      title: "One minute above the clouds",
      segmentCount: 6,
      daysAgo: 2,
    },
    "2000000003": {
      title: "Sunrise approach, then coffee",
      segmentCount: 90,
      games: [calmFlying, chatting],
      daysAgo: 3,
    },
    "2000000004": {
      title: "Highlight: the landing everyone talks about",
      type: "highlight",
      streamId: null,
      firstSegmentNumber: 137,
      segmentCount: 9,
      daysAgo: 4,
    },
    "2000000005": {
      title: "Night flight across the Alps (fMP4)",
      renditions: mp4Ladder(),
      segmentCount: 180,
      daysAgo: 6,
    },
    "2000000006": {
      title: "Keys & kettles: three hours of tea and piano",
      ownerId: "1009",
      games: [music],
      segmentCount: 1_080,
      daysAgo: 7,
      paceBytesPerSecond: 20_000_000,
    },
    "2000000007": {
      title: "Trailer (upload)",
      ownerId: "1009",
      type: "upload",
      streamId: null,
      games: [music],
      segmentCount: 3,
      daysAgo: 9,
    },
    "2000000008": {
      title: "Highlight: three landings in one minute",
      type: "highlight",
      streamId: null,
      segmentCount: 6,
      daysAgo: 40,
    },
    "2000000009": { title: "Crosswind practice", segmentCount: 60, daysAgo: 11 },
    "2000000010": {
      title: "Requests at the piano",
      ownerId: "1009",
      games: [music],
      segmentCount: 30,
      daysAgo: 25,
    },
    "2000000011": {
      title: "Mending a kettle",
      ownerId: "1009",
      games: [chatting],
      segmentCount: 90,
      daysAgo: 57,
    },
    "2000000012": { title: "Harbour at dawn", ownerId: "1010", segmentCount: 45, daysAgo: 1 },
    "2000000013": { title: "Rope and tar", ownerId: "1010", segmentCount: 120, daysAgo: 5 },
    ...hostileTitles(),
  };
}

/** Titles that break careless pages, file names, headers or spreadsheets. */
function hostileTitles(): Record<string, DemoVod> {
  const titles = [
    "<script>alert('title')</script><b onmouseover=alert(1)>bold</b>",
    "Right to left \u202Eexe.4pm\u202C and \u200Bzero\u200Dwidth",
    "Family stream 👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈 with Z\u0351\u036B\u0343a\u030A\u0342l\u034B\u036Fg\u034E\u0317o\u0321",
    `A title of three hundred characters ${"very long indeed ".repeat(20)}`.slice(0, 300),
    "../../etc/passwd\r\nSet-Cookie: a=b",
    '=HYPERLINK("http://example.test","click")',
    "CON",
    "{{7*7}} ${7*7} %s %n 'quoted' \"double\" `back`",
  ];
  return Object.fromEntries(
    titles.map((title, position) => [
      String(2_000_000_021 + position),
      { title, ownerId: "1006", daysAgo: 12 + position },
    ]),
  );
}

export function makeDemoVods(nowMs: number): Vod[] {
  return Object.entries(demos()).map(([id, { daysAgo, ...draft }]) =>
    makeVod(id, { ...draft, createdAt: nowMs - daysAgo * DAY_MS - 2 * HOUR_MS }, nowMs),
  );
}
