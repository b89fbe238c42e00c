import type { Database, Statement } from "#service/ports/database.ts";
import { NEVER_MS } from "#service/db/due-time.ts";

/**
 * Generates users, uploads and files, the same on every run. They are inserted into the base
 * tables; the schema's triggers update counts and search indexes, as in production.
 */

export type SeedCounts = {
  readonly users: number;
  readonly uploads: number;
  readonly files: number;
};

export type SeedProgress = (what: string, done: number, of: number) => void;

/** Rows per statement, passed as one JSON value. */
const ROWS_PER_STATEMENT = 1_000;

/** Above every real Twitch id, so that no seeded user is mistaken for a real one. */
const FIRST_USER_ID = 9_000_000_000;

/** Above the ids of the stand-in's VODs, which can be archived beside seeded rows. */
export const FIRST_SEEDED_VOD_ID = 7_000_000_000;

const HOUR_MS = 3_600_000;

/** Seeded files have no objects; checks against the store skip this prefix. */
const SEED_PREFIX = "seed/";

/** A gigabyte per file: a million stay below 9 PB, the exact range of a JavaScript number. */
const BYTES_PER_SECOND = 50_000;

const SHORTEST_SEC = 600;
const LONGEST_SEC = 40_600;

/** How long a seeded upload took per second of its VOD. */
const COPY_MS_PER_SECOND = 100;

/** The newest upload starts this long ago, so that even the longest has ended. */
const LONGEST_COPY_MS = LONGEST_SEC * COPY_MS_PER_SECOND + 1_000;

const LOGIN_WORDS =
  "aurora basil cedar delta ember fjord grove harbor indigo juniper karst lumen meadow nimbus onyx".split(
    " ",
  );
const TITLE_WORDS =
  "speedrun karaoke ranked chess marathon morning retro cooking music coop race world record practice drawing code talk finale drops charity late night chill build launch raid".split(
    " ",
  );
const ERRORS = [
  "The source answered 503 eight times in a row.",
  "Segments 412 to 418 are gone at the source (01:08:40 to 01:09:50).",
  "This VOD is for subscribers only.",
  "The object store is full.",
] as const;
const FAILURE_CLASSES = ["try_later", "gone_at_source", "needs_entitlement", "storage"] as const;

export async function seedRows(
  database: Database,
  counts: SeedCounts,
  nowMs: number,
  progress: SeedProgress,
): Promise<void> {
  const seed: Seed = { ...counts, users: Math.max(1, counts.users), nowMs };
  for (const [table, count, make] of [
    ["users", seed.users, user],
    ["uploads", seed.uploads, upload],
    ["files", seed.files, file],
  ] as const)
    for (let start = 0; start < count; start += ROWS_PER_STATEMENT) {
      const length = Math.min(ROWS_PER_STATEMENT, count - start);
      const rows = Array.from({ length }, (_, offset) => make(start + offset, seed));
      await database.run(insertion(table, rows));
      progress(table, start + length, count);
    }
  progress("history", 0, 0);
  await database.batch(HISTORY.map((sql) => ({ sql, values: [nowMs] })));
  for (const index of ["upload", "file", "user"]) {
    const table = `${index}_search`;
    progress(`optimizing ${table}`, 0, 0);
    await database.run({ sql: `INSERT INTO ${table} (${table}) VALUES ('optimize')`, values: [] });
  }
}

type Seed = SeedCounts & { readonly nowMs: number };

/** Values by column. */
type SeedRow = Readonly<Record<string, string | number | null>>;

/** All rows have the same columns. */
function insertion(table: string, rows: readonly SeedRow[]): Statement {
  const columns = Object.keys(rows[0] ?? {});
  return {
    sql: `INSERT INTO ${table} (${columns.join(", ")})
      SELECT ${columns.map((column) => `value ->> '${column}'`).join(", ")}
      FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`,
    values: [JSON.stringify(rows)],
  };
}

function user(index: number, { nowMs }: Seed) {
  const pick = chooser(1, index);
  const login = `${pick.from(LOGIN_WORDS)}_${pick.from(LOGIN_WORDS)}${index}`;
  const isBanned = index % 97 === 96;
  const isAdmin = index % 500 === 3;
  const seenAt = nowMs - pick.below(90 * 24) * HOUR_MS;
  return {
    id: String(FIRST_USER_ID + index),
    login,
    display_name: login.replace("_", " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    email: `${login}@example.org`,
    permissions: isAdmin ? '["read:uploads","read:users","read:system"]' : "[]",
    banned_at: isBanned ? seenAt : null,
    ban_reason: isBanned ? "Seeded as banned" : null,
    last_login_at: index % 5 === 0 ? null : seenAt,
    created_at: nowMs - 365 * 24 * HOUR_MS + index,
  };
}

function upload(index: number, seed: Seed): SeedRow {
  const pick = chooser(2, index);
  const share = pick.below(1_000);
  const status =
    share < 900 ? "completed" : share < 970 ? "failed" : share < 995 ? "cancelled" : "pending";
  const failure = status === "failed" ? pick.below(ERRORS.length) : null;
  const owner = user(pick.below(seed.users), seed);
  const vodId = String(FIRST_SEEDED_VOD_ID + index);
  const createdAt = seed.nowMs - LONGEST_COPY_MS - (seed.uploads - index) * 60_000;
  const durationSec = SHORTEST_SEC + pick.below(LONGEST_SEC - SHORTEST_SEC);
  const segments = Math.ceil(durationSec / 10);
  const done = status === "completed" ? segments : status === "pending" ? 0 : pick.below(segments);
  const sizeBytes = durationSec * BYTES_PER_SECOND;
  const startedAt = status === "pending" ? null : createdAt + 1_000;
  const endedAt = createdAt + durationSec * COPY_MS_PER_SECOND;
  const completedAt = status === "completed" ? endedAt : null;
  const failedAt = failure === null ? null : endedAt;
  return {
    id: `seed${index}`,
    kind: "twitch",
    vod_id: vodId,
    filename: `${owner.login}-${vodId}.ts`,
    title: titleOf(index, pick),
    owner_id: owner.id,
    initiated_by: owner.id,
    rights: "administrator_confirmed",
    status,
    progress: (done / segments) * 100,
    source_bytes: sizeBytes,
    source_bytes_estimated: 0,
    stored_bytes: Math.floor((sizeBytes * done) / segments),
    segments_done: done,
    segments_total: segments,
    duration_sec: durationSec,
    failure_class: failure === null ? null : (FAILURE_CLASSES[failure] ?? null),
    error_message: failure === null ? null : (ERRORS[failure] ?? null),
    // Never due: the source does not have these VODs.
    next_attempt_at: status === "pending" ? NEVER_MS : null,
    retry_count: failure === null ? 0 : pick.below(4),
    max_retries: 3,
    created_at: createdAt,
    started_at: startedAt,
    completed_at: completedAt,
    failed_at: failedAt,
    updated_at: completedAt ?? failedAt ?? startedAt ?? createdAt,
    object_key:
      status === "completed" ? `${SEED_PREFIX}vods/${owner.id}/${vodId}/seed${index}.ts` : null,
  };
}

function file(index: number, seed: Seed): SeedRow {
  const pick = chooser(3, index);
  const owner = user(pick.below(seed.users), seed);
  const share = pick.below(1_000);
  const status = share < 960 ? "complete" : share < 985 ? "partial" : "orphaned";
  const type = pick.below(10) < 8 ? "twitch" : pick.below(10) < 9 ? "manual" : "chunk";
  const vodId = String(FIRST_SEEDED_VOD_ID + index);
  const name = `${owner.login}-${vodId}.ts`;
  const durationSec = SHORTEST_SEC + pick.below(LONGEST_SEC - SHORTEST_SEC);
  const lastModifiedAt = seed.nowMs - (seed.files - index) * 60_000;
  return {
    object_key:
      type === "manual"
        ? `${SEED_PREFIX}manual/${owner.id}/seed${index}/${name}`
        : `${SEED_PREFIX}vods/${owner.id}/${vodId}/seed${index}.ts`,
    upload_id: `seed${index}`,
    user_id: owner.id,
    vod_id: vodId,
    filename: name,
    size_bytes: durationSec * BYTES_PER_SECOND,
    upload_type: type,
    status,
    content_type: "video/mp2t",
    metadata:
      type === "chunk" ? "{}" : JSON.stringify({ title: titleOf(index, pick), durationSec }),
    last_modified_at: lastModifiedAt,
    // They have no bytes.
    verified_at: null,
    recorded_at: type === "twitch" ? lastModifiedAt - pick.below(60 * 24) * HOUR_MS : null,
  };
}

function titleOf(index: number, pick: ReturnType<typeof chooser>): string {
  const words = Array.from({ length: 3 }, () => pick.from(TITLE_WORDS));
  return `${words.join(" ")} #${index % 1_000}`;
}

const HISTORY_KINDS = [
  ["hour", HOUR_MS, 25, 30 * 24],
  ["minute", 60_000, 1, 25 * 60 - 1],
] as const;

/**
 * A month: busy evenings with a queue, storage that grows to what the files hold, an outage of an
 * hour, two starts and two alerts.
 */
const HISTORY: readonly string[] = [
  ...HISTORY_KINDS.map(
    ([kind, stepMs, first, last]) => `
      WITH RECURSIVE steps(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM steps WHERE i < ${last}),
      loads AS (SELECT i, cast(? AS INTEGER) / ${stepMs} - i AS step FROM steps),
      busy AS (SELECT *, step * ${stepMs} / ${HOUR_MS} % 24 >= 17 AS is_evening FROM loads)
      INSERT INTO system_history
        (kind, at, active_uploads, copied_bytes, stored_bytes, failed_uploads, queue_age_ms)
      SELECT '${kind}', step * ${stepMs}, 1 + is_evening * 3 + step * 7 % 3,
        (1 + is_evening * 3 + step * 7 % 3) * ${stepMs / 1_000} * (4000000 + step * 7919 % 3000000),
        (SELECT value FROM counters WHERE name = 'files.bytes') * (1 - i * ${stepMs / 30 / 24 / HOUR_MS} / 2),
        step % 97 < is_evening * 2, is_evening * (step * 31 % 20) * 60000
      FROM busy WHERE '${kind}' = 'hour' OR i NOT BETWEEN 300 AND 360 ON CONFLICT DO NOTHING`,
  ),
  `INSERT INTO system_history (kind, at, note)
    SELECT value ->> 0, cast(? AS INTEGER) - (value ->> 1) * ${HOUR_MS}, value ->> 2 FROM json_each('[
      ["start", 500, "0.9.0"], ["start", 5, "1.0.0"],
      ["alert", 200, "Unhealthy: object storage"], ["alert", 6, "Unhealthy: database"]]')
    WHERE TRUE ON CONFLICT DO NOTHING`,
];

/** Deterministic random choices for one row (mulberry32). */
function chooser(table: number, index: number) {
  let state = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(table, 0x85ebca6b);
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  return {
    below,
    from: (words: readonly string[]): string => words[below(words.length)] ?? "",
  };
}
