import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

const configSchema = z.looseObject({
  main: z.string(),
  vars: z.object({ ARCHIVE_CONCURRENCY: z.string() }),
  d1_databases: z.tuple([z.looseObject({ database_name: z.string() })]),
  r2_buckets: z.tuple([z.looseObject({ bucket_name: z.string() })]),
  assets: z.looseObject({ directory: z.string() }),
  queues: z.looseObject({
    consumers: z.array(
      z.looseObject({ queue: z.string(), max_concurrency: z.optional(z.number()) }),
    ),
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

/** For a file in any folder; its queue runs so many archives at a time, or null: the file's number. */
export function configToDeploy(archiveConcurrency: number | null): WranglerConfig {
  const config = readWranglerConfig();
  const consumers = config.queues.consumers.map((consumer) =>
    consumer.max_concurrency === undefined || archiveConcurrency === null
      ? consumer
      : { ...consumer, max_concurrency: archiveConcurrency },
  );
  return {
    ...config,
    main: atItsPlace(config.main),
    assets: { ...config.assets, directory: atItsPlace(config.assets.directory) },
    queues: { ...config.queues, consumers },
  };
}
