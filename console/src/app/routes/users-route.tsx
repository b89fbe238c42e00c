import { Page } from "#console/ui/page.tsx";

export function UsersRoute() {
  return <Page title="Users">{null}</Page>;
}
