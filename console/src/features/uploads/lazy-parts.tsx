import { lazyDialog, waitingDialog } from "#console/ui/dialog.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

const later = () => import("./later-parts.ts");

export const UploadDebugPanel = lazyPart(
  async () => (await later()).UploadDebugPanel,
  <SkeletonFacts rows={6} />,
);
export const SelectedUploads = lazyPart(async () => (await later()).SelectedUploads);
export const DeleteFailedDialog = lazyDialog(async () => (await later()).DeleteFailedDialog);
export const DeleteUploadDialog = lazyDialog(async () => (await later()).DeleteUploadDialog);
export const UploadDialog = lazyDialog(async () => (await later()).UploadDialog);
export const UploadDrawer = lazyDialog(
  async () => (await later()).UploadDrawer,
  waitingDialog("side"),
);
export const NewArchiveDialog = lazyDialog(async () => (await later()).NewArchiveDialog);
