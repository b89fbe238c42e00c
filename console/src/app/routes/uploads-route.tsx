import { Page } from "#console/ui/page.tsx";

export function UploadsRoute() {
  return <Page title="Uploads">{null}</Page>;
}
