import type { CustomVod } from "../catalog/custom-vod.ts";
import { isRecord } from "../http/request-body.ts";

/** Shown to the author of the test, so the message names the field. */
export class InvalidControl extends Error {
  override readonly name = "InvalidControl";
}

type Body = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isObject: Check = (value) => isRecord(value);
const isNumbers: Check = (value) => Array.isArray(value) && value.every((item) => isNumber(item));

const vodFields: Readonly<Record<keyof CustomVod, Check>> = {
  id: (value) => typeof value === "string" && /^\d{1,15}$/.test(value),
  ownerId: isText,
  title: isText,
  container: (value) => value === "ts" || value === "fmp4" || value === "multi-init-fmp4",
  segmentCount: isNumber,
  segmentSizeBytes: (value) => isNumber(value) || isNumbers(value),
  muted: isNumbers,
  byteRangePlaylist: isFlag,
  startOffsetPlaylist: isFlag,
  growing: isObject,
  paceBytesPerSecond: isNumber,
  commentsPerMinute: isNumber,
  nullCommentsTimes: isNumber,
};

function isCustomVod(value: Body): value is Body & CustomVod {
  for (const [name, given] of Object.entries(value)) {
    const check = new Map(Object.entries(vodFields)).get(name);
    if (check === undefined || !check(given)) {
      throw new InvalidControl(`"${name}" is unknown here or has a wrong value`);
    }
  }
  return true;
}

export function readCustomVod(body: Body): CustomVod {
  return isCustomVod(body) ? body : {};
}
