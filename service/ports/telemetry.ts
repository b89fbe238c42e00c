import type { Channel } from "#contract/notifications.ts";
import type { StoreErrorKind } from "./object-store.ts";

/**
 * Counters and histograms of this process since its start, for Prometheus. Hosts whose processes
 * live only for a request keep none, because their sums would be meaningless.
 */
export type Telemetry = {
  requestServed(request: ServedRequest): void;
  /** Bytes of an object or part that the store has confirmed. */
  bytesStored(sizeBytes: number): void;
  storeFailed(operation: string, kind: StoreErrorKind): void;
  uploadEnded(source: string, outcome: (typeof UPLOAD_OUTCOMES)[number]): void;
  /** `status` is null for a request without an answer. */
  upstreamAnswered(upstream: Upstream, status: number | null): void;
  deliveryEnded(channel: Channel | "webhook", outcome: DeliveryOutcome): void;
  read(): readonly Metric[];
};

/** A metric as Prometheus reads it; without a sample there is nothing to state. */
export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  /** Labels as `a="x",b="y"`. Names of a histogram's samples have a suffix. */
  readonly samples: readonly (readonly [labels: string, value: number, suffix?: string])[];
};

/** Interfaces of Twitch and others, their media hosts, and an object store that is a server. */
export const UPSTREAMS = ["api", "media", "store"] as const;
export type Upstream = (typeof UPSTREAMS)[number];

export const UPLOAD_OUTCOMES = ["completed", "failed", "cancelled"] as const;
export const DELIVERY_OUTCOMES = ["delivered", "failed", "retried"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export type ServedRequest = {
  readonly method: string;
  /**
   * The call's path template, e.g. `/admin/uploads/{id}`; null for an address outside the contract.
   */
  readonly route: string | null;
  readonly status: number;
  /** Time until the response begins. */
  readonly durationMs: number;
};
