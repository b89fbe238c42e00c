import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { useUploadItems } from "./upload-items.tsx";
import type { UploadDialogKind } from "./uploads-search.ts";

/** A dialog about one upload. */
export type OpenUploadDialog = { readonly kind: UploadDialogKind; readonly upload: Upload };

export function UploadMenu({
  upload,
  onDialog,
}: {
  readonly upload: Upload;
  readonly onDialog: (dialog: OpenUploadDialog) => void;
}) {
  const items = useUploadItems(upload, (kind) => onDialog({ kind, upload }));
  const busy = items.some((item) => item.busy);
  return <RowMenu name={visibleText(upload.filename)} items={items} busy={busy} />;
}
