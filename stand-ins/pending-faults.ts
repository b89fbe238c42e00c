/** Faults set by tests; each applies as often as requested. */
export type PendingFaults<Fault, Place> = {
  add(fault: Fault): void;
  clear(): void;
  /** Returns the fault for this place, if any, and counts it down. */
  take(place: Place): Fault | null;
};

/** A fault without `times` applies until it is cleared. */
export function createPendingFaults<Fault extends { times?: number }, Place>(
  strikes: (fault: Fault, place: Place) => boolean,
): PendingFaults<Fault, Place> {
  let faults: Fault[] = [];
  return {
    add: (fault) => faults.push(fault),
    clear: () => {
      faults = [];
    },
    take(place) {
      const fault = faults.find((each) => strikes(each, place));
      if (fault === undefined) return null;
      if (fault.times !== undefined) {
        fault.times -= 1;
        if (fault.times <= 0) faults = faults.filter((each) => each !== fault);
      }
      return fault;
    },
  };
}
