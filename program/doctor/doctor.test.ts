import { type DisposableTempDir } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutgoingFetch, type OutgoingConnections } from "#hosts/node/outgoing-fetch.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { readSettings } from "#service/settings.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { TEST_SETTINGS } from "#service/testing/test-settings.ts";
import type { Fault, FaultMatch } from "#stand-ins/twitch/faults/fault.ts";
import { startTwitchStandIn, type TwitchStandIn } from "#stand-ins/twitch/server.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import { examineMachine } from "./examine.ts";

const REGISTERED = "http://localhost:8787/auth/callback";

let twitch: TwitchStandIn;
let folder: DisposableTempDir;
let outgoing: OutgoingConnections;

beforeEach(async () => {
  twitch = await startTwitchStandIn({ redirectUris: [REGISTERED] });
  folder = await makeTemporaryFolder();
  outgoing = createOutgoingFetch();
});
afterEach(async () => {
  await outgoing.close();
  await twitch.close();
  await folder.remove();
});

function environment(): Record<string, string> {
  return {
    ...twitch.settings,
    ...TEST_SETTINGS,
    DATA_DIR: folder.path,
    ADMIN_TWITCH_IDS: ADMIN,
  };
}

function examineWith(settings: Record<string, string> = {}) {
  return examineMachine(readSettings({ ...environment(), ...settings }), outgoing.fetch, null);
}

function always(match: FaultMatch, fault: Fault): void {
  twitch.control.addFault({ match, fault, times: "forever" });
}

it("finds nothing to do where a VOD can be archived whole", async () => {
  const report = await examineWith();
  expect(report.findings.filter(({ result }) => result !== "ok")).toEqual([]);
  expect(report).toMatchObject({ canArchive: true, differences: [] });
  expect(report.findings).toContainEqual({
    topic: "Administrators",
    result: "ok",
    text: "avery_admin",
  });
  const text = JSON.stringify(report);
  expect(text).not.toContain(APPLICATION.clientSecret);
  expect(text).not.toMatch(/[0-9a-f]{32}/);
});

it.each([
  [
    "http://localhost:9999",
    /^The Twitch application needs the OAuth redirect URL http:\/\/localhost:9999\/auth\/callback /,
  ],
  [
    "https://vods.example.org",
    /^The Twitch application needs the OAuth redirect URL https:\/\/vods\.example\.org\/auth\/callback /,
  ],
  [
    "http://192.168.1.5:8787",
    /^Twitch returns sign-ins to https .* not to http:\/\/192\.168\.1\.5:8787\/auth\/callback, .* PUBLIC_URL=https:\/\/192\.168\.1\.5:8787, /,
  ],
])("says what Twitch needs to return sign-ins to %s", async (PUBLIC_URL, advice) => {
  const report = await examineWith({ PUBLIC_URL });
  const finding = report.findings.find(({ topic }) => topic === "Redirect address");
  expect(report.canArchive).toBe(true);
  expect(finding).toMatchObject({ result: "advice", text: expect.stringMatching(advice) });
  expect(finding?.text).toMatch(/ Twitch said: redirect_mismatch /);
});

it.each<[string, () => Record<string, string>, RegExp]>([
  [
    "Twitch application",
    () => ({ TWITCH_CLIENT_SECRET: "wrong" }),
    /^Twitch refuses .* Twitch said: invalid client secret\.$/,
  ],
  [
    "Media hosts",
    () => ({ TWITCH_MEDIA_HOSTS: "*.cloudfront.net" }),
    /^Twitch lists media on 127\.0\.0\.1:\d+, which TWITCH_MEDIA_HOSTS does not allow\./,
  ],
  [
    "Web API: PlaybackAccessToken",
    () => {
      always({ kind: "gql", body: "AccessToken" }, { type: "gqlError", message: "no", code: "NO" });
      return {};
    },
    /^inline with kimne7…: NO no; .* A newer version may know/,
  ],
  [
    "The middle segment",
    () => {
      always({ kind: "segment" }, { type: "truncate", afterBytes: 100 });
      return {};
    },
    /^It cannot be used: /,
  ],
])("says what to do about a problem: %s", async (topic, prepare, text) => {
  const report = await examineWith(prepare());
  expect(report.canArchive).toBe(false);
  expect(report.findings).toContainEqual({
    topic,
    result: "problem",
    text: expect.stringMatching(text),
  });
});

it("reports what changed at Twitch since the last time, once", async () => {
  await examineWith();
  always(
    { kind: "gql", body: '"query"', clientId: "kimne78kx3ncx6brgo4mv6wki5h1ko" },
    { type: "gqlError", message: "gone" },
  );
  always(
    { kind: "playlist" },
    { type: "replace", pattern: "#EXTM3U", replacement: "#EXTM3U\n#EXT-X-NEW:1" },
  );
  const report = await examineWith();
  expect(report.canArchive).toBe(true);
  expect(report.differences).toContainEqual(
    expect.stringMatching(
      /^Since 2\d{3}-\d\d-\d\d, Twitch answers VideoMetadata, inline with kimne7…, with “gone” instead of “ok”\.$/,
    ),
  );
  expect(report.differences).toContainEqual(
    expect.stringMatching(/something new: tag EXT-X-NEW\.$/),
  );
  expect((await examineWith()).differences).toEqual([]);
});

it("prints a line for each check and succeeds, as a command", async () => {
  const { code, stdout } = await runVodkeep(["doctor"], environment());
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {7}Settings\n/);
  expect(stdout).toMatch(/\nA VOD could be archived whole, with its chat\.\n$/);
});
