export { NotificationsPage as NotificationsRoute } from "#console/features/notifications/notifications-page.tsx";
