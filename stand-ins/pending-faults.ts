/** Faults set by tests; one without `times` applies until all are cleared. */
export class PendingFaults<Fault extends { times?: number }> {
  private faults: Fault[] = [];

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  clear(): void {
    this.faults = [];
  }

  /** Returns the first fault that applies, if any, and counts it down. */
  take(applies: (fault: Fault) => boolean): Fault | null {
    const fault = this.faults.find(applies);
    if (fault === undefined) return null;
    if (fault.times !== undefined) {
      fault.times -= 1;
      if (fault.times <= 0) this.faults = this.faults.filter((each) => each !== fault);
    }
    return fault;
  }
}
