import { getFile, objectKeySchema, type StoredFile } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { toast } from "#console/ui/toast-store.ts";

/** A finished upload's file with its short-lived addresses. Throws `ApiError`. */
export async function storedFileOf(fileKey: string, signal?: AbortSignal): Promise<StoredFile> {
  const key = objectKeySchema.parse(fileKey);
  return await call(getFile, { params: { key }, query: { download: true }, signal });
}

/** Hands a file to the browser's own download, which keeps going when the page is left. */
export async function downloadStoredFile(fileKey: string): Promise<void> {
  try {
    const { downloadUrl } = await storedFileOf(fileKey);
    if (downloadUrl === undefined) {
      toast.error("Download URL not available");
      return;
    }
    const link = document.createElement("a");
    link.href = downloadUrl;
    link.download = "";
    link.rel = "noopener";
    link.click();
  } catch {
    toast.error("Failed to generate download URL");
  }
}
