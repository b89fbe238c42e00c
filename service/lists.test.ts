import * as fc from "fast-check";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { FAILURE_CLASSES, UPLOAD_STATUSES } from "#contract/upload.ts";
import { pageAudit } from "./audit/audit-list.ts";
import { sql } from "./db/sql.ts";
import { pageFiles, readFileStats } from "./files/file-list.ts";
import { testList } from "./testing/list-property.ts";
import { compareNames, trickyText } from "./testing/tricky-text.ts";
import { matchFailedIds, pageFailedUploads, pageUploads } from "./uploads/upload-list.ts";
import { FAILURE_COUNTS_MS } from "./uploads/upload-query.ts";
import { pageUsers } from "./users/user-list.ts";

/** Whose logins and display names sort differently. */
const OWNERS = [
  { login: "mara", name: "Жук Éclair" },
  { login: "Zed", name: "bob_%" },
  { login: "anton", name: "Zed 😀" },
] as const;
const ADD_OWNERS = OWNERS.map(
  ({ login, name }, index) => sql`INSERT INTO users (id, login, display_name, created_at)
    VALUES (${`20${index}`}, ${login}, ${name}, 0)`,
);
const RENAME_OWNER = [sql`UPDATE users SET login = 'MARA' WHERE id = '200'`];

const anOwner = fc.nat(OWNERS.length - 1);
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const OWNER_IDS = OWNERS.map((_, index) => userIdSchema.parse(`20${index}`));
const idOf = (owner: number | null) => OWNER_IDS[owner ?? -1] ?? null;
const namesOf = (owner: number | null) => {
  const { login, name } = OWNERS[owner ?? -1] ?? { login: null, name: null };
  return [login, name];
};

/** A filter's value; mostly none. */
function perhaps<const Value>(gen: fc.GeneratorValue, ...values: readonly Value[]) {
  return gen(fc.constantFrom<(Value | undefined)[]>, undefined, undefined, ...values);
}

function compare(left: number | string | null, right: number | string | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}

const instant = (atMs: number | undefined) =>
  atMs === undefined ? undefined : new Date(atMs).toISOString();

const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0);

const UPLOAD_FIELDS = {
  filename: trickyText,
  title: maybe(trickyText),
  owner: anOwner,
  status: fc.constantFrom(...UPLOAD_STATUSES),
  sourceBytes: maybe(fc.nat(3)),
  recordedAt: maybe(fc.nat(3)),
  error: trickyText,
  failureClass: fc.constantFrom(...FAILURE_CLASSES),
  failedAt: fc.nat(5),
  retries: fc.nat(3),
};
type DrawnOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};
type UploadDraft = DrawnOf<typeof UPLOAD_FIELDS>;
type UploadRow = UploadDraft & { readonly seq: number };

const UPLOADS = {
  table: "uploads",
  before: ADD_OWNERS,
  fields: UPLOAD_FIELDS,
  fate: "deleted" as const,
  columns(row: UploadRow) {
    const isFailed = row.status === "failed";
    return {
      id: `u${row.seq}`,
      kind: "twitch",
      filename: row.filename,
      title: row.title,
      owner_id: idOf(row.owner),
      rights: "owner_signed_in",
      status: row.status,
      source_bytes: row.sourceBytes,
      error_message: isFailed ? row.error : null,
      failure_class: isFailed ? row.failureClass : null,
      failed_at: isFailed ? row.failedAt : null,
      retry_count: row.retries,
      max_retries: 3,
      recorded_at: row.recordedAt,
      created_at: 0,
      updated_at: 0,
    };
  },
  idOf: (seq: number) => `u${seq}`,
};

testList("uploads", 150, {
  ...UPLOADS,
  texts: ({ filename, title, owner }) => [filename, title, ...namesOf(owner)],
  sorts: {
    startedAt: () => 0,
    filename: (left, right) => compareNames(left.filename, right.filename),
    size: (left, right) => compare(left.sourceBytes, right.sourceBytes),
    status: (left, right) => compare(left.status, right.status),
    recordedAt: (left, right) => compare(left.recordedAt, right.recordedAt),
  },
  draw: (gen) => ({
    status: perhaps(gen, ...UPLOAD_STATUSES),
    userId: perhaps(gen, ...OWNER_IDS),
  }),
  passes: (row, { status, userId }) =>
    (status === undefined || row.status === status) &&
    (userId === undefined || idOf(row.owner) === userId),
  page: (database, query) => pageUploads(database, query, 0),
});

/** Failures from this time on are recent; the others failed more than seven days before. */
const RECENT_FROM = 3;
const canRetry = ({ retries, failureClass }: UploadDraft) =>
  retries < 3 && failureClass !== "gone_at_source";

testList("failed uploads", 100, {
  ...UPLOADS,
  texts: ({ filename, error, owner }) => [filename, error, ...namesOf(owner)],
  sorts: { failedAt: (left, right) => left.failedAt - right.failedAt },
  sortOrder: "desc",
  draw: (gen) => ({ failureClass: perhaps(gen, ...FAILURE_CLASSES) }),
  passes: (row, { failureClass }) =>
    row.status === "failed" && (failureClass === undefined || row.failureClass === failureClass),
  async page(database, query) {
    const nowMs = FAILURE_COUNTS_MS + RECENT_FROM;
    const { summary, groups, ...page } = await pageFailedUploads(database, query, nowMs);
    const matching = await matchFailedIds(database, query);
    return {
      ...page,
      more: { summary, groups, matching: matching.items.map((item) => item.canRetry) },
    };
  },
  more(found, rows) {
    const failed = rows.filter(({ status }) => status === "failed");
    const groups = FAILURE_CLASSES.map((failureClass) => {
      const own = failed.filter((row) => row.failureClass === failureClass);
      return {
        failureClass,
        count: own.length,
        canRetry: own.filter(canRetry).length,
        isRecent: own.some(({ failedAt }) => failedAt >= RECENT_FROM),
      };
    });
    return {
      summary: {
        totalFailed: failed.length,
        canRetry: failed.filter(canRetry).length,
        maxRetriesReached: failed.filter(({ retries }) => retries >= 3).length,
        retryCannotHelp: failed.filter((row) => row.retries < 3 && !canRetry(row)).length,
      },
      groups: groups.filter(({ count }) => count > 0),
      matching: found.map(canRetry),
    };
  },
});

const FILE_STATUSES = ["complete", "partial", "orphaned"] as const;
const fileKey = (seq: number) => objectKeySchema.parse(`vods/20/${seq * 31}/x${seq}.ts`);

testList("files, its totals and groups", 120, {
  table: "files",
  before: ADD_OWNERS,
  after: RENAME_OWNER,
  fields: {
    filename: maybe(trickyText),
    owner: maybe(anOwner),
    size: fc.nat(4),
    type: fc.constantFrom("twitch", "manual", "chunk"),
    status: fc.constantFrom(...FILE_STATUSES),
    modifiedAt: fc.nat(4),
    title: maybe(trickyText),
    recordedAt: maybe(fc.nat(4)),
    durationSec: maybe(fc.nat(4)),
    isTrashed: fc.boolean(),
  },
  fate: "deleted",
  columns: ({ title, durationSec, ...row }) => ({
    object_key: fileKey(row.seq),
    user_id: idOf(row.owner),
    filename: row.filename,
    size_bytes: row.size,
    upload_type: row.type,
    status: row.status,
    content_type: "video/mp2t",
    last_modified_at: row.modifiedAt,
    metadata: JSON.stringify({ title, durationSec }),
    recorded_at: row.recordedAt,
    trash_until: row.isTrashed ? 1 : null,
  }),
  idOf: fileKey,
  texts: ({ filename, title, seq }) => [filename, title, fileKey(seq)],
  sorts: {
    date: (left, right) => left.modifiedAt - right.modifiedAt,
    name: (left, right) =>
      left.filename === null || right.filename === null
        ? Number(left.filename !== null) - Number(right.filename !== null)
        : compareNames(left.filename, right.filename),
    size: (left, right) => left.size - right.size,
    length: (left, right) => compare(left.durationSec, right.durationSec),
    recorded: (left, right) => compare(left.recordedAt, right.recordedAt),
    user: (left, right) =>
      compareNames(namesOf(left.owner)[0] ?? "", namesOf(right.owner)[0] ?? "") ||
      compare(left.recordedAt, right.recordedAt),
  },
  draw: (gen) => ({
    userId: perhaps(gen, ...OWNER_IDS),
    uploadType: perhaps(gen, "manual", "chunk"),
    status: perhaps(gen, "complete", "orphaned"),
    recordedFrom: instant(perhaps(gen, 1, 3)),
    recordedUntil: instant(perhaps(gen, 1, 3)),
    chunks: perhaps(gen, "hidden"),
    trash: perhaps(gen, "only"),
  }),
  passes: (row, filter) =>
    row.isTrashed === (filter.trash === "only") &&
    (filter.userId === undefined || idOf(row.owner) === filter.userId) &&
    (filter.uploadType === undefined || row.type === filter.uploadType) &&
    (filter.status === undefined || row.status === filter.status) &&
    (filter.chunks === undefined || row.type !== "chunk") &&
    (filter.recordedFrom === undefined ||
      (row.recordedAt ?? -1) >= Date.parse(filter.recordedFrom)) &&
    (filter.recordedUntil === undefined ||
      (row.recordedAt ?? Infinity) < Date.parse(filter.recordedUntil)),
  async page(database, query) {
    const { files, pagination, byStatus, byUser } = await pageFiles(database, query);
    const items = files.map(({ key }) => ({ id: key }));
    const stats = await readFileStats(database);
    const [counts] = await database.all(sql`SELECT total(trashed_files) AS files,
      total(trashed_bytes) AS bytes, total(duration_ms) AS ms
      FROM file_counts WHERE user_id = '*'`);
    const owners = byUser.map(({ userId, files: own, size }) => [userId, [own, size]] as const);
    return {
      items,
      ...pagination,
      more: {
        pages: pagination.totalPages,
        byStatus,
        owners: new Map(owners),
        all: [stats.totalFiles, stats.totalSize, stats.usersWithFiles],
        trashed: [counts?.files, counts?.bytes],
        durationMs: counts?.ms,
      },
    };
  },
  more(found, rows, { limit }) {
    const statuses = FILE_STATUSES.map(
      (status) => [status, found.filter((row) => row.status === status).length] as const,
    );
    const size = (files: typeof rows) => sum(files, (row) => row.size);
    const owners = Map.groupBy(found, ({ owner }) => idOf(owner));
    const inTrash = rows.filter(({ isTrashed }) => isTrashed);
    const owned = rows.filter(({ owner }) => owner !== null);
    return {
      pages: Math.ceil(found.length / limit),
      byStatus: Object.fromEntries(statuses),
      owners: new Map([...owners].map(([id, own]) => [id, [own.length, size(own)]] as const)),
      all: [rows.length, size(rows), new Set(owned.map(({ owner }) => owner)).size],
      trashed: [inTrash.length, size(inTrash)],
      durationMs: sum(rows, ({ durationSec }) => (durationSec ?? 0) * 1_000),
    };
  },
});

const userId = (seq: number) => String(70_000 + seq * 7);

testList("users", 120, {
  table: "users",
  fields: {
    login: trickyText,
    displayName: trickyText,
    email: maybe(trickyText),
    isAdmin: fc.boolean(),
    isBanned: fc.boolean(),
    lastLoginAt: maybe(fc.nat(3)),
  },
  fate: "changed",
  columns: (row) => ({
    id: userId(row.seq),
    login: row.login,
    display_name: row.displayName,
    email: row.email,
    permissions: row.isAdmin ? '["read:users"]' : "[]",
    banned_at: row.isBanned ? 1 : null,
    last_login_at: row.lastLoginAt,
    created_at: row.seq,
  }),
  idOf: userId,
  texts: ({ login, displayName, email, seq }) => [login, displayName, email, userId(seq)],
  typedMark: "@",
  sorts: {
    lastLoginAt: (left, right) => compare(left.lastLoginAt, right.lastLoginAt),
    displayName: (left, right) => compareNames(left.displayName, right.displayName),
    createdAt: () => 0,
  },
  draw: (gen) => ({
    isAdmin: perhaps(gen, true, false),
    isBanned: perhaps(gen, true, false),
  }),
  passes: (row, { isAdmin, isBanned }) =>
    (isAdmin === undefined || row.isAdmin === isAdmin) &&
    (isBanned === undefined || row.isBanned === isBanned),
  page: (database, query) =>
    pageUsers({ platform: { database }, settings: { ADMIN_TWITCH_IDS: [] } }, query),
});

const ACTIONS = ["upload.retry", "user.ban"] as const;
const RESULTS = ["done", "refused"] as const;

testList("audit entries", 120, {
  table: "audit",
  before: ADD_OWNERS,
  fields: {
    at: fc.nat(4),
    actor: maybe(anOwner),
    action: fc.constantFrom(...ACTIONS),
    target: maybe(trickyText),
    result: fc.constantFrom(...RESULTS),
    reason: maybe(trickyText),
    requestId: maybe(trickyText),
  },
  fate: "kept",
  columns: (row) => ({
    at: row.at,
    actor_id: idOf(row.actor),
    action: row.action,
    target: row.target,
    result: row.result,
    reason: row.reason,
    request_id: row.requestId,
  }),
  idOf: String,
  texts: (row) => [row.action, row.target, row.reason, row.requestId, ...namesOf(row.actor)],
  sorts: { newest: () => 0 },
  sortOrder: "desc",
  draw: (gen) => ({
    action: perhaps(gen, ...ACTIONS),
    actorId: perhaps(gen, ...OWNER_IDS),
    result: perhaps(gen, ...RESULTS),
    since: instant(perhaps(gen, 1, 3)),
    until: instant(perhaps(gen, 1, 3)),
  }),
  passes: (row, { action, actorId, result, since, until }) =>
    (action === undefined || row.action === action) &&
    (actorId === undefined || idOf(row.actor) === actorId) &&
    (result === undefined || row.result === result) &&
    (since === undefined || row.at >= Date.parse(since)) &&
    (until === undefined || row.at < Date.parse(until)),
  page: pageAudit,
});
