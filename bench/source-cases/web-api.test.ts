import { describe } from "vitest";
import type { FaultMatch, NewFault, Fault } from "#stand-ins/twitch/faults/fault.ts";
import { openSourceCases, whole } from "./source-case.ts";

/**
 * Twitch changes something: a form of query, a client id, a code, a field. The archive has to find
 * another way, or to say what Twitch said.
 */

const WEB = "kimne78kx3ncx6brgo4mv6wki5h1ko";
const TV = "ue6666qo983tsx6so1t0vnawi233wa";
const MOBILE = "kd1unb4b3q4t58fwlpcbzcbnm76a8fp";

type Trouble = readonly NewFault[];

const INLINE = '"query"';
const PERSISTED = '"persistedQuery"';
const TOKEN = "PlaybackAccessToken";
const CHAT = "VideoComments";

const lasting = (match: FaultMatch, fault: Fault): NewFault => ({ match, fault, times: "forever" });
const onGql = (match: Omit<FaultMatch, "kind">, fault: Fault) =>
  lasting({ kind: "gql", ...match }, fault);
const onVideo = (pattern: string, replacement: string) =>
  lasting({ kind: "helix", path: "/videos" }, { type: "replace", pattern, replacement });
const onUsher = (status: number, body: unknown) =>
  lasting({ kind: "master" }, { type: "body", status, body: JSON.stringify(body) });

const NEW_SENTENCE: Fault = { type: "gqlError", message: "only listed queries are served" };
const INTEGRITY: Fault = {
  type: "gqlError",
  message: "failed integrity check",
  code: "IntegrityCheckFailed",
};
const PAGE = "<!doctype html><title>Sorry</title>";

const usherError = (error_code: string, error: string) => [{ error, error_code, type: "error" }];

/** Another way exists: every byte and every comment is read. */
const COMPLETES: readonly (readonly [name: string, Trouble])[] = [
  ["inlineRefused", [onGql({ body: INLINE }, NEW_SENTENCE)]],
  ["inlineRefused with 403", [onGql({ body: INLINE }, { type: "status", status: 403 })]],
  [
    "allHashesRetired",
    [onGql({ body: PERSISTED }, { type: "gqlError", message: "PersistedQueryNotFound" })],
  ],
  ["tokenOnlySwitchClient", [onGql({ body: TOKEN, clientId: WEB }, INTEGRITY)]],
  [
    "tokenOnlyThirdClient",
    [
      onGql({ body: TOKEN, clientId: WEB }, INTEGRITY),
      onGql({ body: TOKEN, clientId: TV }, NEW_SENTENCE),
    ],
  ],
  [
    "integrity known by its code only",
    [onGql({ clientId: WEB }, { type: "gqlError", message: "no", code: "IntegrityCheckFailed" })],
  ],
  ["web id blocked with 401", [onGql({ clientId: WEB }, { type: "status", status: 401 })]],
  ["chatClientBlocked", [onGql({ body: CHAT, clientId: MOBILE }, NEW_SENTENCE)]],
  [
    "chatClientBlocked, cursors for nobody",
    [
      onGql({ body: CHAT, clientId: MOBILE }, INTEGRITY),
      onGql({ body: CHAT, clientId: TV }, { type: "status", status: 403 }),
    ],
  ],
  ["chat cursors refused with a new sentence", [onGql({ body: '"cursor"' }, NEW_SENTENCE)]],
  ["helixNull_title", [onVideo('"title":"[^"]*"', '"title":null')]],
  ["helixNull_thumbnail_url", [onVideo('"thumbnail_url":"[^"]*"', '"thumbnail_url":null')]],
  ["helixNull_user_name", [onVideo('"user_name":"[^"]*"', '"user_name":null')]],
  ["helixNull_duration", [onVideo('"duration":"[^"]*"', '"duration":null')]],
  ["helixAbsent", [onVideo('"(?:title|thumbnail_url|user_name)":"[^"]*",', "")]],
];

/** No way exists: the upload waits with this message, and completes once the trouble is over. */
const WAITS: readonly (readonly [name: string, Trouble, message: string])[] = [
  [
    "refused in every way",
    [onGql({}, { type: "gqlError", message: "The gate is closed", code: "GATE_CLOSED" })],
    "Twitch's web API refuses the service's requests. Twitch said: GATE_CLOSED The gate is closed.",
  ],
  [
    "integrity in every way",
    [onGql({}, INTEGRITY)],
    "Twitch's web API demands a check that only browsers pass. Twitch said: IntegrityCheckFailed failed integrity check.",
  ],
  [
    "an outage",
    [onGql({}, { type: "gqlError", message: "service unavailable" })],
    "Twitch's web API is failing. Twitch said: service unavailable.",
  ],
  [
    "an outage by its status",
    [onGql({}, { type: "status", status: 503 })],
    "Twitch's web API is failing. Twitch said: asked for by a fault.",
  ],
  [
    "a web page",
    [onGql({}, { type: "html" })],
    "Twitch's web API returned an invalid response. Twitch said: Sorry.",
  ],
  [
    "usher_age_gate_403",
    [onUsher(403, usherError("age_gate", "Verify your age"))],
    "Twitch's playlist server refuses a new playback token. Twitch said: age_gate Verify your age.",
  ],
  [
    "usher_age_gate_404",
    [onUsher(404, usherError("age_gate", "Verify your age"))],
    "Twitch's playlist server answered with status 404. Twitch said: age_gate Verify your age.",
  ],
  [
    "usher_plain_403",
    [lasting({ kind: "master" }, { type: "body", status: 403, body: PAGE })],
    "Twitch's playlist server refuses a new playback token. Twitch said: Sorry.",
  ],
  [
    "helixRefused",
    [
      lasting(
        { kind: "helix" },
        {
          type: "body",
          status: 403,
          body: '{"error":"Forbidden","status":403,"message":"Update your terms"}',
        },
      ),
    ],
    "Twitch's API answered with status 403. Twitch said: Forbidden Update your terms.",
  ],
  [
    "applicationRefused",
    [
      lasting(
        { kind: "token" },
        { type: "body", status: 403, body: '{"status":403,"message":"invalid client secret"}' },
      ),
    ],
    "Twitch refuses this service's TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET (status 403). Twitch said: invalid client secret.",
  ],
  [
    "a token that forbids playback",
    [
      onGql(
        { body: TOKEN },
        {
          type: "replace",
          pattern: String.raw`"forbidden\\":false,\\"reason\\":\\"`,
          replacement: String.raw`"forbidden\":true,\"reason\":\"VIEWER_BANNED`,
        },
      ),
    ],
    "Twitch forbids anonymous viewers to play this VOD. Twitch said: VIEWER_BANNED.",
  ],
];

/** Twitch does not show the VOD to this service: the upload fails with this message. */
const NEEDS_ENTITLEMENT: readonly (readonly [name: string, Trouble, message: string])[] = [
  [
    "usher_vod_manifest_restricted_404",
    [onUsher(404, usherError("vod_manifest_restricted", "Manifest is restricted"))],
    "Twitch shows this VOD to subscribers only. Twitch said: vod_manifest_restricted Manifest is restricted.",
  ],
  [
    "usher_CONTENT_GEOBLOCKED",
    [onUsher(403, usherError("CONTENT_GEOBLOCKED", "Content Restricted In Region"))],
    "Twitch blocks this VOD in the region of this service. Twitch said: CONTENT_GEOBLOCKED Content Restricted In Region.",
  ],
  [
    "usher_content_geoblocked_451, not in a list",
    [onUsher(451, { error: "Blocked", error_code: "content_geoblocked" })],
    "Twitch blocks this VOD in the region of this service. Twitch said: content_geoblocked Blocked.",
  ],
];

const world = await openSourceCases();

/** 240 comments, which take several pages. */
const VOD = { segmentCount: 12, segmentSizeBytes: 100_000, commentsPerMinute: 120 };

describe("the archive completes", () => {
  for (const [name, faults] of COMPLETES)
    world.test(name, { vod: VOD, faults, ...whole(), comments: 240 });
});

describe("the archive waits", () => {
  for (const [name, faults, waits] of WAITS)
    world.test(name, { vod: VOD, faults, waits, ...whole() });
});

describe("the archive needs an entitlement", () => {
  for (const [name, faults, errorMessage] of NEEDS_ENTITLEMENT) {
    const outcome = { failureClass: "needs_entitlement", errorMessage };
    world.test(name, { vod: VOD, faults, outcome });
  }
});
