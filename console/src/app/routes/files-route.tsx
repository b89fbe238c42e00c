import { Page } from "#console/ui/page.tsx";

export function FilesRoute() {
  return <Page title="Files">{null}</Page>;
}
