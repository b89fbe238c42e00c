import { Page } from "#console/ui/page.tsx";

export function DashboardRoute() {
  return <Page title="Dashboard">{null}</Page>;
}
