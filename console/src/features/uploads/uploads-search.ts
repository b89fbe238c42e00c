import * as z from "zod/mini";
import { failureClassSchema, uploadStatusSchema } from "#contract/upload.ts";
import { LIST_PARAMS, searchReader, textParam } from "#console/lib/search-params.ts";

const { page, search, order } = LIST_PARAMS;

/** What asks before it changes something. */
export const UPLOAD_DIALOGS = ["cancel", "delete"] as const;
export type UploadDialogKind = (typeof UPLOAD_DIALOGS)[number];

/** The upload whose drawer is open, and the dialog of an action on it. */
const DRAWER_PARAMS = { upload: textParam(64), act: z.enum(UPLOAD_DIALOGS) };

export const readUploadsSearch = searchReader({
  page,
  status: uploadStatusSchema,
  search,
  /** Those at work first, then by their start, if it is absent. */
  sort: z.enum(["startedAt", "filename", "size", "status", "recordedAt"]),
  order,
  ...DRAWER_PARAMS,
  /** The upload whose debug panel is open. */
  debug: textParam(64),
  /** Opens the dialog for a new archive: "new", or the VOD to start with. */
  archive: textParam(500),
  /** Live updates are on if it is absent. */
  live: z.literal("paused"),
});

export type UploadsSearch = ReturnType<typeof readUploadsSearch>;

export const readFailedSearch = searchReader({
  page,
  search,
  cause: failureClassSchema,
  ...DRAWER_PARAMS,
});

export type FailedSearch = ReturnType<typeof readFailedSearch>;
