import { lazyDialog } from "./dialog.tsx";

export type { Confirmation } from "./confirmation.tsx";

/** Of every screen, and of none at its start. */
export const ConfirmDialog = lazyDialog(
  async () => (await import("./confirmation.tsx")).ConfirmDialog,
);
