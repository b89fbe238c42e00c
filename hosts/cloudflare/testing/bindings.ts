import { env } from "cloudflare:workers";
import type { Bindings } from "../bindings.ts";

/** The product's bindings, storage for a second service in one test, and a separate database. */
type TestBindings = Bindings & {
  readonly DB_SECOND: D1Database;
  readonly DB_ALONE: D1Database;
  readonly OBJECTS_SECOND: R2Bucket;
  readonly CACHE_SECOND: KVNamespace;
};

declare global {
  namespace Cloudflare {
    interface Env extends TestBindings {}
  }
}

/** The bindings of testing/wrangler.jsonc. */
export const bindings: TestBindings = env;
