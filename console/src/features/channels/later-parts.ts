/** What the list of channels and a channel's page show on demand. */
export { RuleDialog } from "#console/domain/channels/rule-dialog.tsx";
export { AgreeForOwnChannel } from "#console/domain/consent/own-channel.tsx";
export { AddChannelsDialog } from "./add-channels-dialog.tsx";
export { BasisDialog, RevokeDialog } from "./basis-dialogs.tsx";
export { DeadlineDialog } from "./deadline-dialog.tsx";
