/** Something happened that the service promises will never happen. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
  readonly invariant: string;

  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
    this.invariant = invariant;
  }
}

export function mustHold(isKept: boolean, invariant: string, detail: string): void {
  if (!isKept) throw new BrokenInvariant(invariant, detail);
}
