import { createPendingFaults, type PendingFaults } from "../pending-faults.ts";

/** A misbehaviour of the Bot API, set by a test. */
export type Fault = {
  /** The method that fails, for example "sendMessage"; absent: every method. */
  readonly method?: string;
  /** HTTP status of the error; absent: the call is only delayed. */
  readonly status?: number;
  readonly description?: string;
  readonly retryAfterSec?: number;
  readonly delayMs?: number;
  /** Closes the connection without a response. */
  readonly drop?: boolean;
  /** The number of calls that fail; absent: every call until it is cleared. */
  times?: number;
};

export type Faults = PendingFaults<Fault, string>;

export function createFaults(): Faults {
  return createPendingFaults<Fault, string>(
    (fault, method) => fault.method === undefined || fault.method === method,
  );
}
