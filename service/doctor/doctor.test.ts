import { afterEach, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { examineSystem } from "#contract/examination.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { LISTED_PREFIX } from "./deployment-checks.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";

let vodkeep: TestService;
afterEach(() => vodkeep.close());

const TOPICS = ["Settings", "Database", "Object store", "Mail", "Telegram bot", "Chat", "Playlist"];

test("the running service examines itself and Twitch, and the audit log says who asked", async () => {
  vodkeep = await startTestService();
  const admin = await vodkeep.signIn(ADMIN);
  const examination = await admin.expect(examineSystem);
  const topics = examination.findings.map(({ topic }) => topic);
  expect(topics).toEqual(expect.arrayContaining(TOPICS));
  expect(new Set(topics).size).toBe(topics.length);
  expect(examination.findings.filter(({ result }) => result === "problem")).toEqual([]);
  expect(examination).toMatchObject({ canArchive: true, differences: [] });
  expect(JSON.stringify(examination)).not.toContain(APPLICATION.clientSecret);
  const { items } = await admin.expect(listAudit, `${listAudit.path}?action=system.examine`);
  expect(items).toMatchObject([{ actor: { userId: ADMIN }, after: { canArchive: true } }]);
});

test("names the part that fails, and what Twitch changed since the last examination", async () => {
  let isBroken = false;
  vodkeep = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      objects: {
        ...platform.objects,
        list: (options) =>
          isBroken
            ? Promise.reject(new Error("The bucket does not exist."))
            : platform.objects.list(options),
      },
    }),
  });
  const admin = await vodkeep.signIn(ADMIN);
  await admin.expect(examineSystem);
  isBroken = true;
  await vodkeep.twitch.control.addFault({
    match: { kind: "playlist" },
    fault: { type: "replace", pattern: "#EXTM3U", replacement: "#EXTM3U\n#EXT-X-NEW:1" },
    times: "forever",
  });
  const { canArchive, differences, findings } = await admin.expect(examineSystem);
  expect(canArchive).toBe(false);
  expect(findings).toContainEqual({
    topic: "Object store",
    result: "problem",
    text: "The bucket does not exist.",
  });
  expect(differences).toContainEqual(expect.stringMatching(/something new: tag EXT-X-NEW\.$/));
});

test("a host without disks is not asked about them, and concurrent calls share one run", async () => {
  let lists = 0;
  vodkeep = await startTestService({
    changePlatform(platform) {
      const runtime = { ...platform.runtime };
      delete runtime.disks;
      const list: typeof platform.objects.list = (options) => {
        if (options.prefix === LISTED_PREFIX) lists += 1;
        return platform.objects.list(options);
      };
      return { ...platform, runtime, objects: { ...platform.objects, list } };
    },
  });
  const admin = await vodkeep.signIn(ADMIN);
  const before = lists;
  const [one, other] = await Promise.all([
    admin.expect(examineSystem),
    admin.expect(examineSystem),
  ]);
  expect(other).toEqual(one);
  expect(lists - before).toBe(1);
  expect(one.findings.map(({ topic }) => topic)).not.toContain("Disk");
});
