import type { Verification } from "#contract/verification.ts";

/** A library of a terabyte in a bucket that charges for reading. */
export function buildVerification(overrides: Partial<Verification> = {}): Verification {
  return {
    cycleDays: 60,
    bytesPerMonth: 506_944_444_444,
    usdPerMonth: 45.65,
    usdOnce: 90.05,
    filesLeft: 0,
    bytesLeft: 0,
    oldestVerifiedAt: null,
    ...overrides,
  };
}
