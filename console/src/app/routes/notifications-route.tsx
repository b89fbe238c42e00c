import { Page } from "#console/ui/page.tsx";

export function NotificationsRoute() {
  return <Page title="Notifications">{null}</Page>;
}
