/** Faults on request, each until it has struck as often as it was asked to. */
export type PendingFaults<Fault, Place> = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault for this place, if there is one; uses up one of its times. */
  take(place: Place): Fault | null;
};

/** A fault without `times` strikes until it is cleared. */
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
