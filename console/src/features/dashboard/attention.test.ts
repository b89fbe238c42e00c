import { expect, test } from "vitest";
import { budgetSchema } from "#contract/costs.ts";
import { systemMetricsSchema } from "#contract/system.ts";
import { build } from "#contract/testing/build.ts";
import { BUDGET } from "#console/testing/answer-dashboard.ts";
import { attentionItems, type AttentionItem } from "./attention.ts";

const QUIET = { budget: undefined, alerts: 0 };

const budgetWith = (percentage: number, onTrack: boolean) =>
  build(budgetSchema, { ...BUDGET, percentage, onTrack });

test("healthy or unknown metrics need no attention", () => {
  expect(attentionItems(undefined, QUIET)).toEqual([]);
  const unknown = build(systemMetricsSchema, {
    health: { status: "warning", reasons: [{ part: "workers", status: "unknown", text: "?" }] },
  });
  expect(attentionItems(unknown, { budget: budgetWith(74.9, true), alerts: 0 })).toEqual([]);
});

const searched = (item: AttentionItem) => "search" in item && item.search;

test("problems come before warnings", () => {
  const metrics = build(systemMetricsSchema, {
    cloudflare: { r2Storage: { utilization: "81%" } },
    health: {
      status: "unhealthy",
      reasons: [
        { part: "uploads", status: "degraded", text: "Degraded: uploads." },
        { part: "workers", status: "unhealthy", text: "Unhealthy: archive workers." },
        { part: "capacity", status: "degraded", text: "Degraded: storage capacity." },
      ],
    },
  });
  const costs = { budget: budgetWith(75, true), alerts: 1 };
  const found = attentionItems(metrics, costs);
  expect(found.map((one) => [one.bad, one.text, one.verb, one.to, searched(one)])).toEqual([
    [true, "Unhealthy: archive workers.", "Open System", "/system", false],
    [true, "1 new cost alert", "Acknowledge", "/", { cost: "alerts" }],
    [false, "Degraded: uploads.", "Review", "/uploads/failed", false],
    [false, "Storage is nearly full", "Make room", "/files", { room: "make" }],
    [false, "75% of the monthly budget is spent", "Open costs", "/", { cost: "overview" }],
  ]);
});

test("a budget projected to be exceeded is a problem, however little is spent", () => {
  expect(attentionItems(undefined, { budget: budgetWith(10, false), alerts: 0 })).toMatchObject([
    { text: "Costs will exceed the monthly budget", bad: true },
  ]);
});

test("without a bill, costs need no attention", () => {
  expect(attentionItems(undefined, null)).toEqual([]);
});

test("a spent budget is not called a coming problem", () => {
  expect(attentionItems(undefined, { budget: budgetWith(120, false), alerts: 0 })).toMatchObject([
    { text: "120% of the monthly budget is spent", bad: true },
  ]);
});

const GB = 1024 ** 3;
const inTrash = (percentage: number, trashGb: number) => ({
  storage: { used: 900 * GB, free: null, percentage, trashBytes: trashGb * GB, bytesPerDay: null },
});
const DISK_LOW = build(systemMetricsSchema, {
  health: {
    status: "warning",
    reasons: [{ part: "disk", status: "degraded", text: "Degraded: disk." }],
  },
});

test.each([
  ["nothing in danger or lost", undefined, { channels: { inDanger: 0, lost: 0 } }, []],
  [
    "VODs in danger and lost",
    undefined,
    { channels: { inDanger: 3, lost: 1 } },
    [
      { id: "danger", bad: true },
      { id: "lost", bad: false },
    ],
  ],
  ["a trash with room beside it", undefined, inTrash(80, 410), []],
  [
    "full storage and no trash",
    undefined,
    inTrash(100.1, 0),
    [{ verb: "Make room", text: "Storage is over its capacity" }],
  ],
  [
    "a trash in full storage",
    undefined,
    inTrash(95, 410),
    [{ search: { room: "make" }, text: "Storage is nearly full, 410 GB in the trash" }],
  ],
  ["a full disk", DISK_LOW, inTrash(20, 410), [{ id: "disk", verb: "Make room" }]],
] as const)("%s", (_case, metrics, holdings, items) => {
  const found = attentionItems(metrics, QUIET, holdings);
  expect(found).toHaveLength(items.length);
  expect(found).toMatchObject(items);
});
