/** How the Bot API misbehaves on request. */
export type Fault = {
  /** The method it concerns, e.g. "sendMessage"; absent: every method. */
  readonly method?: string;
  /** HTTP status of the refusal; absent: the call is only delayed. */
  readonly status?: number;
  readonly description?: string;
  readonly retryAfterSec?: number;
  readonly delayMs?: number;
  /** The connection is closed without an answer. */
  readonly drop?: boolean;
  /** How many calls it spoils; absent: every call until it is cleared. */
  times?: number;
};

export type Faults = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault for this call, if there is one; uses up one of its times. */
  take(method: string): Fault | null;
};

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add: (fault) => faults.push(fault),
    clear: () => {
      faults = [];
    },
    take(method) {
      const fault = faults.find((each) => each.method === undefined || each.method === method);
      if (fault === undefined) return null;
      if (fault.times !== undefined) {
        fault.times -= 1;
        if (fault.times <= 0) faults = faults.filter((each) => each !== fault);
      }
      return fault;
    },
  };
}
