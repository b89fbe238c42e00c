import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { channelSchema, type Channel } from "#contract/channels.ts";
import { build } from "#contract/testing/build.ts";
import { publicProfileSchema } from "#contract/upload.ts";
import { ago } from "./ago.ts";

export const AVERY = publicProfileSchema.parse({
  userId: "1001",
  twitchId: "1001",
  username: "avery",
  displayName: "Avery Admin",
  profileImageUrl: null,
});

/** A channel that is valid by the contract, named by a number. */
export function buildChannel(id: number, overrides: Partial<Channel> = {}): Channel {
  return build(channelSchema, {
    id: `500${id}`,
    login: `channel_${id}`,
    displayName: `Channel ${id}`,
    addedAt: ago(50_000),
    author: AVERY,
    basis: { kind: "consent", agreedAt: ago(60_000) },
    lastVodAt: ago(id * 1_500),
    deletesAfterDays: 14,
    rule: { ...BUILT_IN_RULE, ...overrides.changes },
    checkedAt: ago(45),
    ...overrides,
  });
}

const GB = 1_024 ** 3;

export const CHANNELS = [
  buildChannel(1, {
    displayName: "PixelPilot",
    login: "pixelpilot",
    live: { title: "Sunrise approach, then coffee", startedAt: ago(95) },
    archived: { files: 214, durationSec: 2_412_000, sizeBytes: 1_946 * GB, usdPerMonth: 28.51 },
    vods: { stored: 214, waiting: 1, failed: 0, leftOut: 12, lost: 0 },
  }),
  buildChannel(2, {
    displayName: "Somebody with a rather long name",
    login: "somebody_with_a_rather_long_name",
    dangerAt: ago(-2_000),
    archived: { files: 3, durationSec: 32_000, sizeBytes: 21 * GB, usdPerMonth: 0.315 },
    vods: { stored: 3, waiting: 4, failed: 1, leftOut: 0, lost: 2 },
    changes: {
      kinds: ["archive", "highlight"],
      minDurationSec: 1_800,
      titleExcludes: ["rerun", "test stream"],
      quality: "1080p",
      retention: { keep: "days", days: 30 },
    },
    trouble: "Twitch answered with 503 three times; the list is read again at 12:20.",
  }),
  buildChannel(3, { basis: null, lastVodAt: null, checkedAt: null }),
  buildChannel(4, { pausedAt: ago(3_000), dangerAt: ago(-20_000) }),
];
