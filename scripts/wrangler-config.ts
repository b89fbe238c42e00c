import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

const configSchema = z.looseObject({
  main: z.string(),
  d1_databases: z.tuple([z.looseObject({ database_name: z.string() })]),
  r2_buckets: z.tuple([z.looseObject({ bucket_name: z.string() })]),
  assets: z.looseObject({ directory: z.string() }),
  queues: z.looseObject({
    consumers: z.array(z.looseObject({ queue: z.string() })),
  }),
});

/** Without an id the local runtime chooses one, and other tools cannot find its database. */
export const LOCAL_DATABASE_ID = "vodkeep";

type WranglerConfig = z.infer<typeof configSchema>;

const CONFIG = new URL("../hosts/cloudflare/wrangler.jsonc", import.meta.url);

/** Reads hosts/cloudflare/wrangler.jsonc. Its comments must be on separate lines. */
export function readWranglerConfig(): WranglerConfig {
  const text = readFileSync(CONFIG, "utf8");
  const json = text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(?=\s*[}\]])/g, "");
  return configSchema.parse(JSON.parse(json));
}

const atItsPlace = (path: string) => fileURLToPath(new URL(path, CONFIG));

/** For a file in any folder. */
export function configToDeploy(): WranglerConfig {
  const config = readWranglerConfig();
  return {
    ...config,
    main: atItsPlace(config.main),
    assets: { ...config.assets, directory: atItsPlace(config.assets.directory) },
  };
}
