import { ARCHIVE, modelArchive } from "./archive-model.ts";
import { monthlyCost } from "./monthly-cost.ts";
import { LIMITS } from "./platform-limits.ts";
import { capacities, shardsFor } from "./saturation.ts";
import { EVENING, eveningPeak, greedyChannel, GREEDY } from "./scenarios.ts";
import { storedArchives, storedBytes, WORKLOADS } from "./workloads.ts";
import { price } from "#service/costs/price-usage.ts";
import { TARIFFS } from "#service/costs/price-table.ts";
import type { Usage } from "#service/costs/usage.ts";

/** Markdown tables of docs/scale.md, by name. */
export function renderTables(): ReadonlyMap<string, string> {
  return new Map([
    ["limits", limitTable()],
    ["archive", archiveTable()],
    ["workloads", workloadTable()],
    ["saturation", saturationTable()],
    ["cost", costTable()],
    ["one-more", oneMoreTable()],
    ["evening", eveningTable()],
    ["greedy", greedyTable()],
  ]);
}

function limitTable(): string {
  return table(
    ["limit", "", "page"],
    Object.values(LIMITS).map(({ name, value, page }) => [
      name,
      count(value),
      `[${page}](https://developers.cloudflare.com/${page}/)`,
    ]),
  );
}

function archiveTable(): string {
  const {
    sizeBytes,
    segments,
    parts,
    partBytes,
    copySec,
    slices,
    checkpoints,
    progressWrites,
    writesBeside,
  } = ARCHIVE;
  return table(
    ["of one archive", "", "because"],
    [
      ["size", bytes(sizeBytes), "4 h × 6 Mbit/s ÷ 8"],
      ["segments", count(segments), "4 h ÷ 10 s"],
      [
        "parts",
        count(parts),
        `${bytes(sizeBytes)} ÷ ${partBytes / 1024 ** 2} MiB, the least that suffices`,
      ],
      ["time", `${count(copySec)} s`, `${bytes(sizeBytes)} ÷ 20 MB/s`],
      ["slices", count(slices), `${count(copySec)} s ÷ 60 s`],
      [
        "writes to D1",
        count(ARCHIVE.databaseWrites),
        `${checkpoints} checkpoints of 64 MiB + ${progressWrites} of progress each 5 s + ` +
          `${writesBeside} beside`,
      ],
      [
        "… of the copy, a segment",
        ((checkpoints + progressWrites) / segments).toFixed(2),
        "held to 0.2 by a test",
      ],
      [
        "rows written",
        count(ARCHIVE.usage.rowsWritten),
        "as D1 bills them, indexes and triggers included",
      ],
      [
        "class A operations",
        count(ARCHIVE.usage.classAOperations),
        "parts + begin, end, playlist, manifest, chat",
      ],
    ],
  );
}

function workloadTable(): string {
  return table(
    ["", ...WORKLOADS.map(({ name }) => name)],
    [
      ["kept for", ...WORKLOADS.map(({ keptDays }) => `${count(keptDays)} days`)],
      ["archives kept", ...WORKLOADS.map((one) => count(storedArchives(one)))],
      ["bytes kept", ...WORKLOADS.map((one) => bytes(storedBytes(one)))],
      ["users", ...WORKLOADS.map(({ users }) => count(users))],
      [
        "bytes coming in",
        ...WORKLOADS.map((one) => `${bytes((one.archivesPerDay * ARCHIVE.sizeBytes) / 86_400)}/s`),
      ],
      [
        "slices at a time, on average",
        ...WORKLOADS.map((one) => ((one.archivesPerDay * ARCHIVE.copySec) / 86_400).toFixed(1)),
      ],
      ["deployments side by side", ...WORKLOADS.map((one) => count(shardsFor(one)))],
    ],
  );
}

function saturationTable(): string {
  return table(
    ["what fills up", "full at", "because", ...WORKLOADS.map(({ name }) => name)],
    capacities().map(({ part, holds, unit, derivation, used }) => [
      part,
      unit === "bytes kept" ? `${bytes(holds)} kept` : `${count(roughly(holds))} ${unit}`,
      derivation,
      ...WORKLOADS.map((workload) => share(used(workload) / holds)),
    ]),
  );
}

function costTable(): string {
  // Uploads that are open at a time: those running, and as many that wait.
  const costs = WORKLOADS.map((one) =>
    monthlyCost(one, Math.ceil((2 * one.archivesPerDay * ARCHIVE.copySec) / 86_400)),
  );
  const line = (name: string, read: (cost: (typeof costs)[number]) => number) => [
    name,
    ...costs.map((cost) => usd(read(cost))),
  ];
  return table(
    ["USD a month", ...WORKLOADS.map(({ name }) => name)],
    [
      line("R2: what is kept", (cost) => cost.r2Storage),
      line("R2: operations", (cost) => cost.r2Operations),
      line("D1: rows", (cost) => cost.d1Operations),
      line("D1: size", (cost) => cost.d1Database),
      line("Workers, Durable Objects, the plan", (cost) => cost.workers),
      line("Queues", (cost) => cost.queueOperations),
      line("**together**", (cost) => cost.total),
      [
        "a terabyte kept",
        ...costs.map((cost, at) => {
          const workload = WORKLOADS[at];
          return workload === undefined ? "" : usd(cost.total / (storedBytes(workload) / 1e12));
        }),
      ],
    ],
  );
}

function oneMoreTable(): string {
  const models = [8, 16, 32].map((mib) => modelArchive(mib * 1024 ** 2));
  const line = (name: string, cost: (model: (typeof models)[number]) => number) => [
    name,
    ...models.map((model) => cost(model).toFixed(5)),
  ];
  const metered = (meter: keyof typeof TARIFFS & keyof Usage) =>
    (({ usage }) => marginal(usage[meter], meter)) satisfies Parameters<typeof line>[1];
  const meters = [
    "classAOperations",
    "rowsWritten",
    "workerCpuMs",
    "queueOperations",
    "durableObjectRequests",
  ] as const;
  return table(
    ["USD for one more archive, in parts of", "8 MiB", "16 MiB", "32 MiB"],
    [
      line("class A operations", metered("classAOperations")),
      line("rows written", metered("rowsWritten")),
      line("CPU time", metered("workerCpuMs")),
      line(
        "queue and live hub",
        (model) =>
          marginal(model.usage.queueOperations, "queueOperations") +
          marginal(model.usage.durableObjectRequests, "durableObjectRequests"),
      ),
      line("**stored, once**", ({ usage }) =>
        meters.reduce((sum, meter) => sum + marginal(usage[meter], meter), 0),
      ),
      line("kept, a month", ({ sizeBytes }) => marginal(sizeBytes / 1e9, "storedGbMonths")),
    ],
  );
}

/** Allowances used up, and no rounding. */
function marginal(quantity: number, tariff: keyof typeof TARIFFS): number {
  return price(quantity, { ...TARIFFS[tariff], includedUnits: 0, roundsUp: false });
}

function eveningTable(): string {
  const places = [7, 8, 10, 16, 25];
  return table(
    ["places", "busy", "wait: half", "95 %", "longest", `open after ${EVENING.days} days`],
    places.map((count_) => {
      const { starts, openAtWeeksEnd } = eveningPeak(1_000, count_);
      return [
        String(count_),
        share((1_000 * ARCHIVE.copySec) / 86_400 / count_),
        duration(starts.medianSec),
        duration(starts.p95Sec),
        duration(starts.worstSec),
        count(openAtWeeksEnd),
      ];
    }),
  );
}

function greedyTable(): string {
  const orders = ["oldest first", "channels in turns"] as const;
  return table(
    [
      "order",
      "first byte: half",
      "longest",
      "archived: half",
      "longest",
      `the ${count(GREEDY.vods)} are done after`,
    ],
    orders.map((order) => {
      const { starts, ends, greedyEndsSec } = greedyChannel(order);
      return [
        order,
        duration(starts.medianSec),
        duration(starts.worstSec),
        duration(ends.medianSec),
        duration(ends.worstSec),
        duration(greedyEndsSec),
      ];
    }),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function count(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** Three digits: more would claim more than the assumptions allow. */
function roughly(value: number): number {
  return Number(value.toPrecision(3));
}

function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return `${(value / 1_000 ** power).toLocaleString("en", { maximumSignificantDigits: 3 })} ${units[power]}`;
}

function share(value: number): string {
  const percent = value * 100;
  return `${percent < 1 ? "< 1" : count(Math.round(percent))} %`;
}

function usd(value: number): string {
  return value.toLocaleString("en", {
    minimumFractionDigits: value < 100 ? 2 : 0,
    maximumFractionDigits: value < 100 ? 2 : 0,
  });
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
