/** What the lists of uploads show on demand. */
export { DeleteFailedDialog } from "./delete-failed-dialog.tsx";
export { NewArchiveDialog } from "./new-archive-dialog.tsx";
export { SelectedUploads } from "./selected-uploads.tsx";
export { UploadDebugPanel } from "./upload-debug-panel.tsx";
export { DeleteUploadDialog, UploadDialog } from "./upload-dialogs.tsx";
export { UploadDrawer } from "./upload-drawer.tsx";
