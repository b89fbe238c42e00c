import type { Random } from "#service/platform.ts";

export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
