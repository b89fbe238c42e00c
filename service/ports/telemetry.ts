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
  uploadEnded(source: string, outcome: "completed" | "failed" | "cancelled"): void;
  deliveryEnded(channel: Channel, outcome: "delivered" | "failed" | "retried"): void;
  /** All values in Prometheus' text exposition format 0.0.4. */
  expose(): Promise<string>;
};

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
