/** What the screen of users shows on demand. */
export { UserDetailsDialog } from "./user-details-dialog.tsx";
export { UserDialog } from "./user-dialog.tsx";
