import { lazyDialog, waitingDialog } from "#console/ui/dialog.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

const later = () => import("./later-parts.ts");

export const BulkRunBar = lazyPart(async () => (await later()).BulkRunBar);
/** What is typed before it is there is kept, which a dialog in its place would take. */
export const CommandPalette = lazyDialog(
  async () => (await later()).CommandPalette,
  () => null,
);
export const FileSavesDialog = lazyDialog(
  async () => (await later()).FileSavesDialog,
  waitingDialog("side"),
);
export const Inbox = lazyPart(async () => (await later()).Inbox);
export const ShortcutsSheet = lazyDialog(async () => (await later()).ShortcutsSheet);
export const SignInAgainDialog = lazyDialog(async () => (await later()).SignInAgainDialog);
