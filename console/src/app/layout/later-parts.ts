/** What every screen shows on demand. */
export { Inbox } from "#console/features/notifications/inbox.tsx";
export { FileSavesDialog } from "#console/mp4/file-saves-dialog.tsx";
export { BulkRunBar } from "#console/ui/list/bulk-run-bar.tsx";
export { CommandPalette } from "../shortcuts/command-palette.tsx";
export { ShortcutsSheet } from "../shortcuts/shortcuts-sheet.tsx";
export { SignInAgainDialog } from "./sign-in-again.tsx";
