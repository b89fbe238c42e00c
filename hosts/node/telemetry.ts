import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { CHANNELS } from "#contract/notifications.ts";
import { uploadKindSchema } from "#contract/upload.ts";
import { STORE_ERROR_KINDS } from "#service/ports/object-store.ts";
import {
  DELIVERY_OUTCOMES,
  UPLOAD_OUTCOMES,
  UPSTREAMS,
  type Telemetry,
} from "#service/ports/telemetry.ts";
import { BILLED_AS } from "#service/system/observed-store.ts";

/** From cached list calls to slow sign-ins, which call Twitch twice. */
const DURATION_BUCKETS_SEC = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"];

/** Metrics of this process: its own counters, and Node's CPU, memory and event loop metrics. */
export function createTelemetry(version: string, commit: string | null): Telemetry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: "vodkeep_build_info",
    help: "Always 1; the labels name the version",
    labelNames: ["version", "commit", "node"],
    registers,
  });
  build.set({ version, commit: commit ?? "", node: process.version }, 1);

  const requests = new Histogram({
    name: "vodkeep_http_request_duration_seconds",
    help: "Time until a response began, by call and status",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS_SEC,
    registers,
  });
  const storedBytes = new Counter({
    name: "vodkeep_stored_bytes_total",
    help: "Bytes of objects and parts that the object store confirmed",
    registers,
  });
  const storeErrors = new Counter({
    name: "vodkeep_store_errors_total",
    help: "Failed operations of the object store",
    labelNames: ["operation", "kind"],
    registers,
  });
  const uploads = new Counter({
    name: "vodkeep_uploads_ended_total",
    help: "Archives and manual uploads that ended, by outcome",
    labelNames: ["source", "outcome"],
    registers,
  });
  const deliveries = new Counter({
    name: "vodkeep_notification_deliveries_total",
    help: "Attempts to deliver a notification or a webhook's event, by outcome",
    labelNames: ["channel", "outcome"],
    registers,
  });
  const upstreams = new Counter({
    name: "vodkeep_upstream_requests_total",
    help: "Requests to other services, each attempt, by the class of the status; none without an answer",
    labelNames: ["upstream", "status"],
    registers,
  });
  // A counter that appears with its first event hides that event from increase() and rate().
  for (const operation of Object.keys(BILLED_AS))
    for (const kind of STORE_ERROR_KINDS) storeErrors.inc({ operation, kind }, 0);
  for (const source of uploadKindSchema.options)
    for (const outcome of UPLOAD_OUTCOMES) uploads.inc({ source, outcome }, 0);
  for (const channel of [...CHANNELS, "webhook"])
    for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ channel, outcome }, 0);
  for (const upstream of UPSTREAMS)
    for (const status of STATUS_CLASSES) upstreams.inc({ upstream, status }, 0);

  return {
    requestServed({ method, route, status, durationMs }) {
      const labels = { method, route: route ?? "other", status: String(status) };
      requests.observe(labels, durationMs / 1_000);
    },
    bytesStored: (sizeBytes) => storedBytes.inc(sizeBytes),
    storeFailed: (operation, kind) => storeErrors.inc({ operation, kind }),
    uploadEnded: (source, outcome) => uploads.inc({ source, outcome }),
    upstreamAnswered(upstream, status) {
      const statusClass = status === null ? "none" : `${Math.floor(status / 100)}xx`;
      upstreams.inc({ upstream, status: statusClass });
    },
    deliveryEnded: (channel, outcome) => deliveries.inc({ channel, outcome }),
    expose: () => registry.metrics(),
  };
}
