import { ARCHIVE } from "./archive-model.ts";

export type Workload = {
  readonly name: string;
  readonly archivesPerDay: number;
  readonly keptDays: number;
  readonly users: number;
};

/** What ten petabytes hold at the highest rate. */
const TEN_PETABYTES = 10e15;
const HIGHEST_PER_DAY = 100_000;

export const WORKLOADS: readonly Workload[] = [
  { name: "10 a day", archivesPerDay: 10, keptDays: 365, users: 100 },
  { name: "1,000 a day", archivesPerDay: 1_000, keptDays: 90, users: 10_000 },
  {
    name: "100,000 a day",
    archivesPerDay: HIGHEST_PER_DAY,
    keptDays: TEN_PETABYTES / (HIGHEST_PER_DAY * ARCHIVE.sizeBytes),
    users: 1_000_000,
  },
];

export function storedArchives({ archivesPerDay, keptDays }: Workload): number {
  return archivesPerDay * keptDays;
}

export function storedBytes(workload: Workload): number {
  return storedArchives(workload) * ARCHIVE.sizeBytes;
}

export function databaseBytesOf(
  { users }: Workload,
  archives: number,
  bytes: { readonly archive: number; readonly user: number },
): number {
  return archives * bytes.archive + users * bytes.user;
}
