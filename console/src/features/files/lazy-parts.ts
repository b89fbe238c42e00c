import { lazyDialog } from "#console/ui/dialog.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

const later = () => import("./later-parts.ts");

export const FileDetailsDialog = lazyDialog(async () => (await later()).FileDetailsDialog);
export const MakeRoomDialog = lazyDialog(async () => (await later()).MakeRoomDialog);
export const SelectedFiles = lazyPart(async () => (await later()).SelectedFiles);
export const TrashBanner = lazyPart(async () => (await later()).TrashBanner);
