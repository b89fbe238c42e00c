import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { startTestService } from "#service/testing/test-service.ts";

const TOKEN = "a-token-for-prometheus";
const GIB = 1024 ** 3;

/** A day ago, and now. */
type Course = readonly [earlier: number, now: number];
type Series = ReadonlyMap<string, Course>;

const rules = [
  ...readFileSync(new URL("../../deploy/alerts.yml", import.meta.url), "utf8").matchAll(
    /- alert: (\w+)\s+expr: (?:>-)?([^]*?)\n +(?:for|labels):/g,
  ),
].map(([, name = "", text = ""]) => ({ name, clauses: text.trim().split(/\s+or\s+/) }));

/** The rules that fire, by the part of PromQL that they are written in. */
function firing(series: Series): string[] {
  return rules.flatMap(({ name, clauses }) =>
    clauses.some((clause) => isTrue(clause, series)) ? [name] : [],
  );
}

const COMPARISON =
  /^(?:sum by \(instance\) \()?(?:(min_over_time|increase|delta)\()?([\w{}=",]+)(?:\[1[hd]\]|\[2d\])?\)*\s+(==|<|>)\s+(.+)$/;

function isTrue(clause: string, series: Series): boolean {
  const [, absent] = /^absent\((\w+)\)$/.exec(clause) ?? [];
  if (absent !== undefined) return coursesOf(absent, series).length === 0;
  const [, over, selector = "", operator, limitText = ""] = COMPARISON.exec(clause) ?? [];
  const limit = limitText
    .split(" * ")
    .map((factor) => (/^[\d.]+$/.test(factor) ? Number(factor) : lastOf(factor, series)))
    .reduce((product, factor) => product * factor);
  return coursesOf(selector, series).some(([earlier, now]) => {
    const isRange = over !== undefined && over !== "min_over_time";
    const value = isRange ? now - earlier : over === undefined ? now : Math.min(earlier, now);
    return operator === "==" ? value === limit : operator === "<" ? value < limit : value > limit;
  });
}

/** A selector finds series with more labels, too. */
function coursesOf(selector: string, series: Series): readonly Course[] {
  const [name = "", labels = ""] = selector.replace("}", "").split("{");
  return [...series].flatMap(([each, course]) =>
    each.split("{")[0] === name && each.includes(labels) ? [course] : [],
  );
}

function lastOf(selector: string, series: Series): number {
  const [course] = coursesOf(selector, series);
  return course?.[1] ?? Number.NaN;
}

const vodkeep = await startTestService({
  starts: true,
  settings: { METRICS_TOKEN: TOKEN, STORAGE_RESERVE_GB: "2" },
  changePlatform: (platform) => ({
    ...platform,
    snapshots: {
      take: () => Promise.reject(new Error("No snapshot is taken here")),
      noteBackup: async () => undefined,
      tryRestoring: async () => null,
    },
    runtime: {
      ...platform.runtime,
      disks: async () => [{ freeBytes: 100 * GIB, sizeBytes: 1_000 * GIB }],
    },
  }),
});
await vodkeep.platform.database.run(sql`
  INSERT INTO health_probes (component, status, since_at, checked_at)
  VALUES ('r2Storage', 'healthy', 0, ${vodkeep.clock.now()}) ON CONFLICT DO NOTHING`);
const headers = { authorization: `Bearer ${TOKEN}` };
const { text } = await vodkeep.visitor().call("GET", "/metrics", { headers });
await vodkeep.close();

/** What the service answers, beside Prometheus's own series. */
const well: Series = new Map<string, Course>([
  ['up{job="vodkeep"}', [1, 1]],
  ...[...text.matchAll(/^(vodkeep_\S+) (\S+)$/gm)].map(
    ([, sample = "", value]): [string, Course] => [sample, [Number(value), Number(value)]],
  ),
]);

test("at most eight rules read series that the service has, and are silent while all is well", () => {
  expect(rules.length).toBeGreaterThanOrEqual(1);
  expect(rules.length).toBeLessThanOrEqual(8);
  for (const clause of rules.flatMap(({ clauses }) => clauses))
    for (const [selector] of clause.matchAll(/(?:up|vodkeep_\w+)(?:\{[^}]*\})?/g))
      expect({ selector, found: coursesOf(selector, well).length }).not.toMatchObject({ found: 0 });
  expect(firing(well)).toEqual([]);
});

const DAY_SEC = 86_400;

test.each<[rule: string, series: string, course: Course]>([
  ["Down", 'up{job="vodkeep"}', [1, 0]],
  ["PartUnhealthy", 'vodkeep_healthy{component="object_store"}', [1, 0]],
  ["PartDegraded", 'vodkeep_healthy{component="object_store"}', [1, 0.5]],
  ["FileDamaged", "vodkeep_files_damaged", [0, 1]],
  ["FileDamaged", "vodkeep_files_unreadable", [1, 1]],
  ["RoomLow", "vodkeep_disk_free_bytes", [100 * GIB, GIB]],
  ["RoomLow", "vodkeep_storage_used_ratio", [0.5, 0.95]],
  ["RoomLow", "vodkeep_vods_waiting_for_room", [2, 2]],
  ["WorkStands", "vodkeep_archives_stalled", [0, 1]],
  ["WorkStands", 'vodkeep_archives_waiting{for="store"}', [0, 1]],
  ["WorkStands", "vodkeep_oldest_waiting_archive_seconds", [0, 2 * DAY_SEC]],
  ["WorkStands", 'vodkeep_uploads_ended_total{source="twitch",outcome="failed"}', [1, 5]],
  ["VodsInDanger", "vodkeep_vods_in_danger", [1, 1]],
  ["VodsInDanger", "vodkeep_vods_lost", [3, 4]],
  ["VodsInDanger", 'vodkeep_channels{state="trouble"}', [0, 1]],
  ["NightWorkOverdue", 'vodkeep_backup_overdue_seconds{kind="nightly"}', [0, 2 * DAY_SEC]],
  ["NightWorkOverdue", 'vodkeep_backup_overdue_seconds{kind="restore_test"}', [0, 2 * DAY_SEC]],
  ["NightWorkOverdue", "vodkeep_verification_overdue_seconds", [0, 8 * DAY_SEC]],
  ["NightWorkOverdue", 'vodkeep_webhooks{state="off"}', [0, 1]],
  ["NightWorkOverdue", 'vodkeep_trash_overdue_files{by="people"}', [1, 1]],
  ["NightWorkOverdue", "vodkeep_notifications_pending", [1, 1]],
])("Vodkeep%s alone fires on %s", (rule, series, course) => {
  expect(well.has(series)).toBe(true);
  expect(firing(new Map([...well, [series, course]]))).toEqual([`Vodkeep${rule}`]);
});

test.each<[series: string, course: Course]>([
  ["vodkeep_files_unreadable", [0, 1]],
  ["vodkeep_vods_waiting_for_room", [0, 1]],
  ["vodkeep_vods_in_danger", [0, 1]],
  ["vodkeep_vods_lost", [3, 3]],
  ["vodkeep_notifications_pending", [0, 1]],
  ['vodkeep_trash_overdue_files{by="rules"}', [1, 1]],
  ['vodkeep_webhooks{state="failing"}', [1, 1]],
  ['vodkeep_channels{state="live"}', [1, 1]],
])("no rule fires on what passes or is as wished: %s", (series, course) => {
  expect(well.has(series)).toBe(true);
  expect(firing(new Map([...well, [series, course]]))).toEqual([]);
});

test("a service without any series is down", () => {
  expect(firing(new Map())).toEqual(["VodkeepDown"]);
});
