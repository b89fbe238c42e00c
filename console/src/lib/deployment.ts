import type { Deployment } from "#contract/auth.ts";
import { formatUsd } from "./format.ts";
import { session, storedAdmin } from "./session-store.ts";

/** Of the service, which stays the same during a session. */
export function deployment(): Deployment {
  const { state } = session;
  return (state.status === "signed-in" ? state.admin : storedAdmin())?.deployment ?? "cloudflare";
}

/** Whether somebody sends a bill; costs are shown only then, except where they are the subject. */
export function hasBill(): boolean {
  return deployment() !== "folder";
}

const STORAGE_KINDS = {
  cloudflare: undefined,
  bucket: "a bucket",
  folder: "a folder on this machine",
} as const;

/** What holds the files where it is not R2, by whose name the console calls it. */
export function storageKind(): string | undefined {
  return STORAGE_KINDS[deployment()];
}

/** Costs by their names, for a list of figures; none where there is no bill. */
export function costFigures(amountsUsd: Readonly<Record<string, number>>) {
  return hasBill()
    ? Object.entries(amountsUsd).map(([name, usd]) => ({ name, value: formatUsd(usd) }))
    : [];
}
