import { Page } from "#console/ui/page.tsx";

export function DesignRoute() {
  return <Page title="Design">{null}</Page>;
}
