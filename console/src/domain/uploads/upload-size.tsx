import type { Upload } from "#contract/upload.ts";
import { formatBytes } from "#contract/format-bytes.ts";

/** An estimate is marked until the upload is completed. */
export function UploadSize({
  upload,
  unknown = "Unknown",
}: {
  readonly upload: Upload;
  /** For places where nothing else says that this is a size. */
  readonly unknown?: string;
}) {
  const sizeBytes = upload.originalSize ?? upload.processedSize;
  const text = formatBytes(sizeBytes);
  if (upload.status === "completed" || (sizeBytes > 0 && !upload.originalSizeIsEstimate))
    return text;
  return <span className="faint">{sizeBytes === 0 ? unknown : `~${text}`}</span>;
}
