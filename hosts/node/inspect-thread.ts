import { parentPort, workerData } from "node:worker_threads";
import { findDamage, readFacts } from "./database-snapshot.ts";
import type { Inspection } from "./snapshots.ts";

/** Checks one unpacked database in a thread that answers no requests, and ends. */
const { path }: { path: string } = workerData;
const damage = findDamage(path);
const inspection: Inspection = damage === null ? { found: readFacts(path) } : { damage };
parentPort?.postMessage(inspection);
