/** Where a session can go wrong. */
export type Stage = "connect" | "greeting" | "from" | "recipient" | "data" | "message";

/** How the mail server misbehaves on request. */
export type Fault = {
  readonly stage: Stage;
  /** The answer instead of the usual one, e.g. "550 5.1.1 No such user here". */
  readonly reply?: string;
  readonly delayMs?: number;
  /** The connection is closed without an answer. */
  readonly drop?: boolean;
  /** How often it strikes; absent: until it is cleared. */
  times?: number;
};

export const STAGES: readonly Stage[] = [
  "connect",
  "greeting",
  "from",
  "recipient",
  "data",
  "message",
];

export type Faults = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault of this stage, if there is one; uses up one of its times. */
  take(stage: Stage): Fault | null;
};

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add: (fault) => faults.push(fault),
    clear: () => {
      faults = [];
    },
    take(stage) {
      const fault = faults.find((each) => each.stage === stage);
      if (fault === undefined) return null;
      if (fault.times !== undefined) {
        fault.times -= 1;
        if (fault.times <= 0) faults = faults.filter((each) => each !== fault);
      }
      return fault;
    },
  };
}
