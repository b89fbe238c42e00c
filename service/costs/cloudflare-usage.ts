import * as z from "zod/mini";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Meter } from "./usage.ts";

export const CLOUDFLARE_GRAPHQL_URL = "https://api.cloudflare.com/client/v4/graphql";

const TIMEOUT_MS = 20_000;

/** The account's usage per day; meters that Cloudflare did not report are absent. */
export type ReportedUsage = ReadonlyMap<string, Partial<Record<Meter, number>>>;

export type CloudflareAccount = {
  readonly accountId: string;
  /** Needs "Account Analytics: Read". */
  readonly apiToken: string;
  readonly graphqlUrl: string;
};

/**
 * The datasets of Cloudflare's analytics that correspond to the meters. They are sampled, so the
 * figures are approximate (developers.cloudflare.com/analytics/graphql-api).
 */
const QUERY = `query Usage($account: string!, $first: Date!, $last: Date!) {
  viewer { accounts(filter: {accountTag: $account}) {
    workersInvocationsAdaptive(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { requests cpuTimeUs } dimensions { date } }
    durableObjectsInvocationsAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { requests } dimensions { date } }
    r2OperationsAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { requests } dimensions { date actionType } }
    r2StorageAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      max { payloadSize metadataSize } dimensions { date bucketName } }
    d1AnalyticsAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { rowsRead rowsWritten } dimensions { date } }
    kvOperationsAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { requests } dimensions { date actionType } }
    queueMessageOperationsAdaptiveGroups(limit: 10000, filter: {date_geq: $first, date_leq: $last}) {
      sum { billableOperations } dimensions { date } }
  } } }`;

const numbers = z.optional(z.record(z.string(), z.number()));

const groupsSchema = z.optional(
  z.nullable(
    z.array(
      z.object({
        sum: numbers,
        max: numbers,
        dimensions: z.object({ date: z.string(), actionType: z.optional(z.string()) }),
      }),
    ),
  ),
);
type Group = NonNullable<z.infer<typeof groupsSchema>>[number];

const answerSchema = z.object({
  data: z.nullable(
    z.object({
      viewer: z.object({
        accounts: z.array(
          z.object({
            workersInvocationsAdaptive: groupsSchema,
            durableObjectsInvocationsAdaptiveGroups: groupsSchema,
            r2OperationsAdaptiveGroups: groupsSchema,
            r2StorageAdaptiveGroups: groupsSchema,
            d1AnalyticsAdaptiveGroups: groupsSchema,
            kvOperationsAdaptiveGroups: groupsSchema,
            queueMessageOperationsAdaptiveGroups: groupsSchema,
          }),
        ),
      }),
    }),
  ),
  errors: z.optional(z.nullable(z.array(z.object({ message: z.string() })))),
});

/** @throws {Error} when the account cannot be read; the message never holds the token. */
export async function fetchCloudflareUsage(
  fetch: OutgoingFetch,
  account: CloudflareAccount,
  firstDay: string,
  lastDay: string,
): Promise<ReportedUsage> {
  const response = await fetch(account.graphqlUrl, {
    method: "POST",
    headers: {
      authorization: `Bearer ${account.apiToken}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      query: QUERY,
      variables: { account: account.accountId, first: firstDay, last: lastDay },
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body = await response.text();
  if (!response.ok) {
    throw new Error(`Cloudflare's analytics answered HTTP ${response.status}`);
  }
  const { data, errors } = answerSchema.parse(JSON.parse(body));
  const [refusal] = errors ?? [];
  if (refusal !== undefined) throw new Error(`Cloudflare's analytics refused: ${refusal.message}`);
  const [found] = data?.viewer.accounts ?? [];
  if (found === undefined) throw new Error("Cloudflare's analytics do not know this account");

  const usage = new Map<string, Partial<Record<Meter, number>>>();
  function add(groups: z.infer<typeof groupsSchema>, read: (group: Group) => [Meter, number][]) {
    for (const group of groups ?? []) {
      const day = usage.get(group.dimensions.date) ?? {};
      for (const [meter, quantity] of read(group)) day[meter] = (day[meter] ?? 0) + quantity;
      usage.set(group.dimensions.date, day);
    }
  }
  add(found.workersInvocationsAdaptive, ({ sum }) => [
    ["workerRequests", sum?.["requests"] ?? 0],
    ["workerCpuMs", (sum?.["cpuTimeUs"] ?? 0) / 1_000],
  ]);
  add(found.durableObjectsInvocationsAdaptiveGroups, ({ sum }) => [
    ["durableObjectRequests", sum?.["requests"] ?? 0],
  ]);
  add(found.r2OperationsAdaptiveGroups, ({ sum, dimensions }) => {
    const meter = r2Class(dimensions.actionType ?? "");
    return meter === null ? [] : [[meter, sum?.["requests"] ?? 0]];
  });
  // One group per bucket, so their peaks are added.
  add(found.r2StorageAdaptiveGroups, ({ max }) => [
    ["storedBytesPeak", (max?.["payloadSize"] ?? 0) + (max?.["metadataSize"] ?? 0)],
  ]);
  add(found.d1AnalyticsAdaptiveGroups, ({ sum }) => [
    ["rowsRead", sum?.["rowsRead"] ?? 0],
    ["rowsWritten", sum?.["rowsWritten"] ?? 0],
  ]);
  add(found.kvOperationsAdaptiveGroups, ({ sum, dimensions }) => {
    const meter = KV_METERS[dimensions.actionType ?? ""];
    return meter === undefined ? [] : [[meter, sum?.["requests"] ?? 0]];
  });
  add(found.queueMessageOperationsAdaptiveGroups, ({ sum }) => [
    ["queueOperations", sum?.["billableOperations"] ?? 0],
  ]);
  return usage;
}

/** R2 pricing: free operations and reads (class B); all others are class A. */
const FREE_ACTIONS: ReadonlySet<string> = new Set([
  "DeleteObject",
  "DeleteBucket",
  "AbortMultipartUpload",
]);
const CLASS_B_ACTIONS: ReadonlySet<string> = new Set([
  "HeadBucket",
  "HeadObject",
  "GetObject",
  "UsageSummary",
  "GetBucketEncryption",
  "GetBucketLocation",
  "GetBucketCors",
  "GetBucketLifecycleConfiguration",
]);

function r2Class(action: string): Meter | null {
  if (FREE_ACTIONS.has(action)) return null;
  return CLASS_B_ACTIONS.has(action) ? "classBOperations" : "classAOperations";
}

const KV_METERS: Readonly<Record<string, Meter>> = {
  read: "kvReads",
  write: "kvWrites",
  delete: "kvDeletes",
  list: "kvLists",
};
