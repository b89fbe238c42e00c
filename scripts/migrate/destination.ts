import type { ObjectStore } from "#service/ports/object-store.ts";
import type { D1Api } from "./d1-api.ts";

/** A D1 database and an R2 bucket, accessed from outside Cloudflare. */
export type Destination = {
  readonly database: D1Api;
  readonly databaseName: string;
  readonly objects: ObjectStore;
  /** Instructions for what to do after the move. */
  readonly nextStep: string;
  close(): Promise<void>;
};
