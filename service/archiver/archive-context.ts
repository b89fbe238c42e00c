import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { timeRangeSchema, uploadKindSchema } from "#contract/upload.ts";
import type { ServiceContext } from "#service/context.ts";
import { jsonText } from "#service/db/json-text.ts";
import type { TakenLease } from "#service/storage/lease.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import type { Source } from "#service/source/source.ts";
import { rightsSchema } from "./archive-manifest.ts";
import * as z from "zod/mini";

/** The columns of an upload that a run needs, returned when its lease is taken. */
export const archiveRow = z.object({
  id: uploadIdSchema,
  kind: uploadKindSchema,
  vod_id: z.string(),
  source_url: z.nullable(z.string()),
  owner_id: z.string(),
  filename: z.string(),
  rights: rightsSchema,
  object_key: z.nullable(objectKeySchema),
  manifest_key: z.nullable(objectKeySchema),
  multipart_id: z.nullable(z.string()),
  part_size_bytes: z.nullable(z.number()),
  retry_count: z.number(),
  max_retries: z.number(),
  stall_count: z.number(),
  source_bytes: z.nullable(z.number()),
  progress: z.number(),
  segments_done: z.number(),
  last_segment: z.nullable(z.number()),
  progress_history: jsonText(z.array(z.object({ at: z.number(), percentage: z.number() }))),
  muted_ranges: jsonText(z.array(timeRangeSchema)),
  missing_ranges: jsonText(z.array(timeRangeSchema)),
});
export type ArchiveRow = z.infer<typeof archiveRow>;

/** The text by which the source finds the item. */
export function referenceOf(row: Pick<ArchiveRow, "vod_id" | "source_url">): string {
  return row.source_url ?? row.vod_id;
}

/** How the archiver steers a run. */
export type RunControl = {
  /** Aborts with `LeaseLost` when the upload was taken away, `HandedOver` when time is up. */
  readonly signal: AbortSignal;
  /** True when the run should end at its next checkpoint. */
  readonly isHandoverDue: () => boolean;
  /**
   * Call before work that cannot be handed over halfway: all bytes are stored, or the source may be
   * damaged. A later checkpoint still hands over.
   */
  readonly outlastSlice: () => void;
  /** Current memory limit of this archive: the host's limit divided among the running archives. */
  readonly memoryBytes: () => number;
  /** Called with a sentence when the run ends because of the store. */
  readonly onStoreTrouble: (reason: string) => void;
};

/** What every step of one run works with. */
export type ArchiveRun = RunControl & {
  readonly context: ServiceContext;
  readonly row: ArchiveRow;
  readonly source: Source;
  readonly lease: TakenLease;
  readonly progress: Progress;
};
