import { createHmac, timingSafeEqual } from "node:crypto";
import type { World } from "../world.ts";

/** The pair that GQL issues and usher checks (docs/twitch.md#web-api): JSON and 40 hex digits. */
export type PlaybackToken = { readonly value: string; readonly signature: string };

/** As recorded (docs/twitch.md#web-api). */
const TOKEN_LIFETIME_SEC = 20 * 3_600;

export function issuePlaybackToken(world: World, vodId: string): PlaybackToken {
  const value = JSON.stringify({
    authorization: { forbidden: false, reason: "" },
    chansub: { restricted_bitrates: [] },
    device_id: null,
    expires: Math.floor(world.now() / 1_000) + TOKEN_LIFETIME_SEC,
    https_required: true,
    privileged: false,
    user_id: null,
    version: 2,
    vod_id: Number(vodId),
  });
  return { value, signature: signatureOf(world, value) };
}

export function isGoodToken(
  world: World,
  vodId: string,
  value: string | null,
  signature: string | null,
): boolean {
  if (value === null || signature === null) return false;
  const expected = Buffer.from(signatureOf(world, value));
  const given = Buffer.from(signature);
  if (expected.byteLength !== given.byteLength || !timingSafeEqual(expected, given)) return false;
  // The signature is valid, so the stand-in created it and its shape is known.
  const token: { vod_id: number; expires: number } = JSON.parse(value);
  return String(token.vod_id) === vodId && token.expires * 1_000 > world.now();
}

function signatureOf(world: World, value: string): string {
  return createHmac("sha1", world.playbackSecret).update(value).digest("hex");
}
