/** What the lists of uploads show on demand. */
export { NewArchiveDialog } from "./new-archive-dialog.tsx";
export { UploadDebugPanel } from "./upload-debug-panel.tsx";
export { DeleteUploadDialog, UploadDialog } from "./upload-dialogs.tsx";
export { UploadDrawer } from "./upload-drawer.tsx";
