import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { findDamage, readFacts } from "./database-snapshot.ts";
import type { Inspection } from "./snapshots.ts";

/** Checks one unpacked database in a thread that answers no requests, and ends. */
const { path }: { path: string } = workerData;
// On Linux this is the priority of the thread alone: requests are answered first.
setPriority(constants.priority.PRIORITY_LOW);
const damage = findDamage(path);
const inspection: Inspection = damage === null ? { found: readFacts(path) } : { damage };
parentPort?.postMessage(inspection);
