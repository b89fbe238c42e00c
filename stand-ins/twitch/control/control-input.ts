import type { CustomVod } from "../catalog/custom-vod.ts";
import type { Fault, FaultMatch, NewFault } from "../faults/fault.ts";
import type { EventOptions } from "../helix/event-subscriptions.ts";
import { REQUEST_KINDS } from "../http/exchange.ts";
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
const isList: Check = (value) => Array.isArray(value);

const faultTypes: Readonly<Record<Fault["type"], Readonly<Record<string, Check>>>> = {
  status: {
    status: isNumber,
    "retryAfter?": (value) => isNumber(value) || isText(value) || isObject(value),
    "message?": isText,
  },
  truncate: { "afterBytes?": isNumber },
  overlong: { "extraBytes?": isNumber },
  empty: {},
  html: {},
  stall: { "afterBytes?": isNumber, "ms?": isNumber },
  slow: { "bytesPerSecond?": isNumber },
  delay: { ms: isNumber },
  reset: {},
  resetMidBody: { "afterBytes?": isNumber },
  wrongMagic: {},
  lengthMismatch: { "deltaBytes?": isNumber },
  bitflip: { "atByte?": isNumber },
  swap: { withIndex: isNumber },
  redirect: { location: isText, "status?": isNumber },
  gzipBomb: { "expandsToBytes?": isNumber },
  endless: {},
  body: { body: isText, "status?": isNumber, "contentType?": isText },
  replace: { pattern: isText, replacement: isText },
  gqlError: { message: isText, "challenge?": isText },
  emptyPage: {},
};

const matchFields: Readonly<Record<string, Check>> = {
  "kind?": (value) => REQUEST_KINDS.some((kind) => kind === value),
  "vodId?": isText,
  "segmentIndex?": isNumber,
  "path?": isText,
  "method?": isText,
  "body?": isText,
};

const vodFields: Readonly<Record<`${keyof CustomVod}?`, Check>> = {
  "id?": (value) => typeof value === "string" && /^\d{1,15}$/.test(value),
  "ownerId?": isText,
  "title?": isText,
  "type?": (value) => value === "archive" || value === "highlight" || value === "upload",
  "createdAt?": isNumber,
  "viewCount?": isNumber,
  "container?": (value) =>
    value === "ts" || value === "fmp4" || value === "multi-init-fmp4" || value === "hevc-fmp4",
  "segmentCount?": isNumber,
  "segmentSizeBytes?": (value) => isNumber(value) || isNumbers(value),
  "segmentDurationSec?": isNumber,
  "firstSegmentNumber?": isNumber,
  "discontinuityAt?": isNumbers,
  "muted?": isNumbers,
  "gaps?": isNumbers,
  "byteRangePlaylist?": isFlag,
  "startOffsetPlaylist?": isFlag,
  "growing?": isObject,
  "restriction?": (value) => value === "none" || value === "sub-only" || value === "geo",
  "vanishAfterSegments?": isNumber,
  "paceBytesPerSecond?": isNumber,
  "commentsPerMinute?": isNumber,
  "nullCommentsTimes?": isNumber,
  "faults?": isList,
};

const eventFields: Readonly<Record<string, Check>> = {
  "type?": (value) => value === "stream.online" || value === "stream.offline",
  broadcasterId: isText,
  "messageId?": isText,
  "badSignature?": isFlag,
  "agedMs?": isNumber,
  "messageType?": (value) => value === "notification" || value === "revocation",
};

/** Checks that every field is known and has its type; `name?` is optional. */
function checkFields(value: Body, fields: Readonly<Record<string, Check>>): void {
  for (const [name, given] of Object.entries(value)) {
    const check = fields[name] ?? fields[`${name}?`];
    if (check === undefined || !check(given)) {
      throw new InvalidControl(`"${name}" is unknown here or has a wrong value`);
    }
  }
  const missing = Object.keys(fields).find((name) => !name.endsWith("?") && !(name in value));
  if (missing !== undefined) {
    throw new InvalidControl(`"${missing}" is missing`);
  }
}

function isFault(value: Body): value is Body & Fault {
  const type = value["type"];
  const fields =
    typeof type === "string" ? new Map(Object.entries(faultTypes)).get(type) : undefined;
  if (fields === undefined) {
    throw new InvalidControl(
      `"fault" needs a "type", one of ${Object.keys(faultTypes).join(", ")}`,
    );
  }
  checkFields(value, { type: isText, ...fields });
  return true;
}

function isMatch(value: Body): value is Body & FaultMatch {
  checkFields(value, matchFields);
  return true;
}

function isCustomVod(value: Body): value is Body & CustomVod {
  checkFields(value, vodFields);
  return true;
}

function isEvent(value: Body): value is Body & EventOptions {
  checkFields(value, eventFields);
  return true;
}

export function readFault(body: Body): NewFault {
  const { match = {}, fault, times = 1 } = body;
  if (!isRecord(fault) || !isRecord(match) || !isFault(fault) || !isMatch(match)) {
    throw new InvalidControl('"match" and "fault" have to be objects');
  }
  if (times !== "forever" && typeof times !== "number") {
    throw new InvalidControl('"times" is a number or "forever"');
  }
  return { match, fault, times };
}

export function readCustomVod(body: Body): CustomVod {
  return isCustomVod(body) ? body : {};
}

export function readEvent(body: Body): EventOptions {
  if (!isEvent(body)) {
    throw new InvalidControl("an event is described by an object");
  }
  return body;
}

export function readIndices(body: Body): number[] {
  const indices: unknown = body["indices"];
  if (!Array.isArray(indices) || !indices.every((index) => typeof index === "number")) {
    throw new InvalidControl('"indices" is a list of segment indices');
  }
  return indices;
}
