import type { PagedList } from "#contract/paging.ts";
import type { Upload, UploadStatus } from "#contract/upload.ts";
import type { UPLOAD_SORTS } from "#contract/uploads.ts";

/** View of a list of uploads; part of its cache key. */
export type UploadsView = {
  readonly page: number;
  /** Rows of a page, if it is not the default. */
  readonly limit?: number | undefined;
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
  /** The last started first if both are absent. */
  readonly sortBy?: (typeof UPLOAD_SORTS)[number] | undefined;
  readonly sortOrder?: "asc" | undefined;
};

export type UploadPage = PagedList<Upload>;
