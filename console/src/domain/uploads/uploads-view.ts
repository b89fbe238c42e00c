import type { PagedList } from "#contract/paging.ts";
import type { Upload, UploadStatus } from "#contract/upload.ts";

/** View of a list of uploads; part of its cache key. */
export type UploadsView = {
  readonly page: number;
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
};

export type UploadPage = PagedList<Upload>;
