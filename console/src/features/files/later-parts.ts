/** What the File Browser shows on demand. */
export { FileDetailsDialog } from "./file-details-dialog.tsx";
export { MakeRoomDialog } from "./make-room-dialog.tsx";
export { SelectedFiles } from "./selected-files.tsx";
export { TrashBanner } from "./trash-banner.tsx";
