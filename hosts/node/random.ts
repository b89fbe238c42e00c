import { randomBytes } from "node:crypto";
import type { Random } from "#service/platform.ts";

export const systemRandom: Random = { bytes: (length) => new Uint8Array(randomBytes(length)) };
