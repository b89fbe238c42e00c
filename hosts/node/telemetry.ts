import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { CHANNELS } from "#contract/notifications.ts";
import { uploadKindSchema } from "#contract/upload.ts";
import { STORE_ERROR_KINDS } from "#service/ports/object-store.ts";
import {
  DELIVERY_OUTCOMES,
  UPLOAD_OUTCOMES,
  UPSTREAMS,
  type Metric,
  type Telemetry,
} from "#service/ports/telemetry.ts";
import { BILLED_AS } from "#service/metrics/observed-store.ts";

/** From cached list calls to slow sign-ins, which call Twitch twice. */
const DURATION_BUCKETS_SEC = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"];

/** What this process counts, and its CPU, memory and event loop. */
export function createTelemetry(version: string, commit: string | null): Telemetry {
  const build = labelsOf({ version, commit: commit ?? "", node: process.version });
  const requests = createHistogram(
    "vodkeep_http_request_duration_seconds",
    "Time until a response began, by call and status",
    DURATION_BUCKETS_SEC,
  );
  const storedBytes = createCounter(
    "vodkeep_stored_bytes_total",
    "Bytes of objects and parts that the object store confirmed",
  );
  const storeErrors = createCounter(
    "vodkeep_store_errors_total",
    "Failed operations of the object store",
  );
  const uploads = createCounter(
    "vodkeep_uploads_ended_total",
    "Archives and manual uploads that ended, by outcome",
  );
  const deliveries = createCounter(
    "vodkeep_notification_deliveries_total",
    "Attempts to deliver a notification or a webhook's event, by outcome",
  );
  const upstreams = createCounter(
    "vodkeep_upstream_requests_total",
    "Requests to other services, each attempt, by the class of the status; none without an answer",
  );
  // A counter that appears with its first event hides that event from increase() and rate().
  storedBytes.add({}, 0);
  for (const operation of Object.keys(BILLED_AS))
    for (const kind of STORE_ERROR_KINDS) storeErrors.add({ operation, kind }, 0);
  for (const source of uploadKindSchema.options)
    for (const outcome of UPLOAD_OUTCOMES) uploads.add({ source, outcome }, 0);
  for (const channel of [...CHANNELS, "webhook"])
    for (const outcome of DELIVERY_OUTCOMES) deliveries.add({ channel, outcome }, 0);
  for (const upstream of UPSTREAMS)
    for (const status of STATUS_CLASSES) upstreams.add({ upstream, status }, 0);
  const readProcess = watchProcess();

  return {
    requestServed({ method, route, status, durationMs }) {
      const labels = { method, route: route ?? "other", status: String(status) };
      requests.observe(labels, durationMs / 1_000);
    },
    bytesStored: (sizeBytes) => storedBytes.add({}, sizeBytes),
    storeFailed: (operation, kind) => storeErrors.add({ operation, kind }),
    uploadEnded: (source, outcome) => uploads.add({ source, outcome }),
    upstreamAnswered(upstream, status) {
      const statusClass = status === null ? "none" : `${Math.floor(status / 100)}xx`;
      upstreams.add({ upstream, status: statusClass });
    },
    deliveryEnded: (channel, outcome) => deliveries.add({ channel, outcome }),
    read: () => [
      {
        name: "vodkeep_build_info",
        help: "Always 1; the labels name the version",
        type: "gauge",
        samples: [[build, 1]],
      },
      ...[requests, storedBytes, storeErrors, uploads, deliveries, upstreams].map((each) =>
        each.read(),
      ),
      ...readProcess(),
    ],
  };
}

type Labels = Readonly<Record<string, string>>;

/** JSON escapes quotes, backslashes and line feeds as Prometheus does. */
function labelsOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",");
}

function createCounter(name: string, help: string) {
  const sums = new Map<string, number>();
  return {
    add(labels: Labels, by = 1): void {
      const key = labelsOf(labels);
      sums.set(key, (sums.get(key) ?? 0) + by);
    },
    read: (): Metric => ({ name, help, type: "counter", samples: [...sums] }),
  };
}

/** `bounds` ascend; each bucket also counts what the smaller ones hold. */
function createHistogram(name: string, help: string, bounds: readonly number[]) {
  const series = new Map<string, { buckets: number[]; count: number; sum: number }>();
  return {
    observe(labels: Labels, value: number): void {
      const key = labelsOf(labels);
      const { buckets, count, sum } = series.get(key) ?? {
        buckets: bounds.map(() => 0),
        count: 0,
        sum: 0,
      };
      series.set(key, {
        buckets: buckets.map((held, index) => held + Number(value <= (bounds[index] ?? 0))),
        count: count + 1,
        sum: sum + value,
      });
    },
    read: (): Metric => ({
      name,
      help,
      type: "histogram",
      samples: [...series].flatMap(([labels, { buckets, count, sum }]) => [
        ...[...bounds, "+Inf"].map(
          (bound, index) =>
            [`${labels},le="${bound}"`, buckets[index] ?? count, "_bucket"] as const,
        ),
        [labels, sum, "_sum"] as const,
        [labels, count, "_count"] as const,
      ]),
    }),
  };
}

function watchProcess(): () => readonly Metric[] {
  const delays = monitorEventLoopDelay();
  delays.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const longestDelayNs = delays.max;
    delays.reset();
    return [
      {
        name: "process_cpu_seconds_total",
        help: "CPU time of the process",
        type: "counter",
        samples: [["", (user + system) / 1e6]],
      },
      {
        name: "process_resident_memory_bytes",
        help: "Resident memory of the process",
        type: "gauge",
        samples: [["", rss]],
      },
      {
        name: "nodejs_heap_size_used_bytes",
        help: "JavaScript heap in use",
        type: "gauge",
        samples: [["", heapUsed]],
      },
      {
        name: "nodejs_eventloop_lag_max_seconds",
        help: "Longest delay of the event loop since the metrics were last read",
        type: "gauge",
        samples: [["", longestDelayNs / 1e9]],
      },
    ];
  };
}
