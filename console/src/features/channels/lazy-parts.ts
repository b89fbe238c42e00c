import { lazyDialog } from "#console/ui/dialog.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

const later = () => import("./later-parts.ts");

export const AddChannelsDialog = lazyDialog(async () => (await later()).AddChannelsDialog);
export const AgreeForOwnChannel = lazyPart(async () => (await later()).AgreeForOwnChannel);
export const BasisDialog = lazyDialog(async () => (await later()).BasisDialog);
export const DeadlineDialog = lazyDialog(async () => (await later()).DeadlineDialog);
export const RevokeDialog = lazyDialog(async () => (await later()).RevokeDialog);
export const RuleDialog = lazyDialog(async () => (await later()).RuleDialog);
