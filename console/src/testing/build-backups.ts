import type { Backups } from "#contract/backups.ts";
import { ago } from "./ago.ts";

/** Nightly backups, of which none was made yet. */
export function buildBackups(overrides: Partial<Backups> = {}): Backups {
  return {
    kind: "nightly",
    isRunning: false,
    dueAt: ago(-6 * 60),
    isOverdue: false,
    last: null,
    kept: 0,
    failure: null,
    test: null,
    testFailure: null,
    ...overrides,
  };
}
