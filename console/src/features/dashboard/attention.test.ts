import { expect, test } from "vitest";
import { buildBudget } from "#console/testing/answer-dashboard.ts";
import { buildMetrics } from "#console/testing/build-metrics.ts";
import { attentionItems } from "./attention.ts";

const QUIET = { budget: undefined, alerts: 0 };

const budgetWith = (percentage: number, onTrack: boolean) => buildBudget({ percentage, onTrack });

test("healthy or unknown metrics need no attention", () => {
  expect(attentionItems(undefined, QUIET)).toEqual([]);
  const unknown = buildMetrics({
    health: { status: "warning", reasons: [{ part: "workers", status: "unknown", text: "?" }] },
  });
  expect(attentionItems(unknown, { budget: budgetWith(74.9, true), alerts: 0 })).toEqual([]);
});

test("problems come before warnings", () => {
  const metrics = buildMetrics({
    utilization: "81%",
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
  expect(attentionItems(metrics, costs)).toEqual([
    { id: "workers", to: "/system", text: "Unhealthy: archive workers.", bad: true },
    {
      id: "alerts",
      to: "/",
      search: { cost: "alerts" },
      text: "1 cost alert to acknowledge",
      bad: true,
    },
    { id: "uploads", to: "/uploads/failed", text: "Degraded: uploads.", bad: false },
    { id: "storage", to: "/files", text: "Storage is 81% full", bad: false },
    {
      id: "budget",
      to: "/",
      search: { cost: "overview" },
      text: "75% of the monthly budget is spent",
      bad: false,
    },
  ]);
});

test("a budget projected to be exceeded is a problem, however little is spent", () => {
  expect(attentionItems(undefined, { budget: budgetWith(10, false), alerts: 0 })).toMatchObject([
    { text: "Costs will exceed the monthly budget", bad: true },
  ]);
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
const DISK_LOW = buildMetrics({
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
      {
        id: "danger",
        to: "/channels",
        search: { state: "danger" },
        text: "3 VODs not stored may be deleted within three days",
        bad: true,
      },
      {
        id: "lost",
        to: "/channels",
        search: { state: "lost" },
        text: "1 VOD lost in the last 30 days",
        bad: false,
      },
    ],
  ],
  ["a trash with room beside it", undefined, inTrash(80, 410), []],
  ["full storage and no trash", undefined, inTrash(95, 0), []],
  [
    "a trash in full storage",
    undefined,
    inTrash(95, 410),
    [{ to: "/files", search: { trash: "only" }, text: "410 GB in the trash: Make room" }],
  ],
  [
    "a trash on a full disk",
    DISK_LOW,
    inTrash(20, 410),
    [{ id: "disk" }, { text: "410 GB in the trash: Make room" }],
  ],
] as const)("%s", (_case, metrics, holdings, items) => {
  const found = attentionItems(metrics, QUIET, holdings);
  expect(found).toHaveLength(items.length);
  expect(found).toMatchObject(items);
});
