/** The cards of System that are below its first ones. */
export { BackupsCard } from "./backups-card.tsx";
export { HistoryCard } from "./history-card.tsx";
export { LibraryCard } from "./library-card.tsx";
export { LogsCard } from "./logs-card.tsx";
export { PerformanceCard } from "./performance-card.tsx";
export { RestartDialog } from "./restart-dialog.tsx";
export { StorageCard } from "./storage-card.tsx";
export { VerificationCard } from "./verification-card.tsx";
export { WaitingCard } from "./waiting-card.tsx";
