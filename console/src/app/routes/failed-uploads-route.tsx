import { Page } from "#console/ui/page.tsx";

export function FailedUploadsRoute() {
  return <Page title="FailedUploads">{null}</Page>;
}
