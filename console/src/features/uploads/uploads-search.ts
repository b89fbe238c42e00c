import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import {
  FAILURE_CLASSES,
  UPLOAD_STATUSES,
  type FailureClass,
  type UploadStatus,
} from "#contract/upload.ts";
import {
  readChoice,
  readHide,
  readPage,
  readText,
  type RawSearch,
} from "#console/lib/search-params.ts";

/** Search parameters of the Upload Monitor; absent means the default. */
export type UploadsSearch = {
  readonly page?: number | undefined;
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
  /** Hidden columns, e.g. `size,started`. */
  readonly hide?: string | undefined;
  /** The upload whose debug panel is open. */
  readonly upload?: string | undefined;
  /** Opens the dialog for a new archive: "new", or the VOD to start with. */
  readonly archive?: string | undefined;
  /** Present only when live updates are paused. */
  readonly live?: "paused" | undefined;
};

export function readUploadsSearch(search: RawSearch): UploadsSearch {
  return {
    page: readPage(search["page"]),
    status: readChoice(search["status"], UPLOAD_STATUSES),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    hide: readHide(search["hide"]),
    upload: readText(search["upload"], 64),
    archive: readText(search["archive"], 500),
    live: readChoice(search["live"], ["paused"]),
  };
}

export type FailedSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  readonly cause?: FailureClass | undefined;
  /** Hidden columns, e.g. `retries,failedAt`. */
  readonly hide?: string | undefined;
};

export function readFailedSearch(search: RawSearch): FailedSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    cause: readChoice(search["cause"], FAILURE_CLASSES),
    hide: readHide(search["hide"]),
  };
}
