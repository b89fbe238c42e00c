import { readFileSync } from "node:fs";
import * as z from "zod/mini";

const configSchema = z.looseObject({
  main: z.string(),
  assets: z.looseObject({ directory: z.string() }),
  queues: z.looseObject({ consumers: z.array(z.looseObject({ queue: z.string() })) }),
});

/** What hosts/cloudflare/wrangler.jsonc says. Its comments stand on lines of their own. */
export function readWranglerConfig(): z.infer<typeof configSchema> {
  const text = readFileSync(new URL("../hosts/cloudflare/wrangler.jsonc", import.meta.url), "utf8");
  const json = text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(?=\s*[}\]])/g, "");
  return configSchema.parse(JSON.parse(json));
}
