import { Page } from "#console/ui/page.tsx";

export function SystemRoute() {
  return <Page title="System">{null}</Page>;
}
