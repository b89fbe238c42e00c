import type { ObjectStore } from "#service/ports/object-store.ts";
import type { D1Api } from "./d1-api.ts";

/** Cloudflare as seen from outside: a D1 database and an R2 bucket. */
export type Destination = {
  readonly database: D1Api;
  readonly databaseName: string;
  readonly objects: ObjectStore;
  /** How to go on from here. */
  readonly nextStep: string;
  close(): Promise<void>;
};
