import { env } from "cloudflare:workers";
import type { Bindings } from "../bindings.ts";

declare global {
  namespace Cloudflare {
    interface Env extends Bindings {}
  }
}

/** The bindings of testing/wrangler.jsonc. */
export const bindings: Bindings = env;
