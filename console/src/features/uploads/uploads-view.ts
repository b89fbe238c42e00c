import type { PagedList } from "#contract/paging.ts";
import type { Upload, UploadStatus } from "#contract/upload.ts";

/** What a list of uploads shows; part of its cache key. */
export type UploadsView = {
  readonly page: number;
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
};

export type UploadPage = PagedList<Upload>;
