import { Page } from "#console/ui/page.tsx";

export function AuditPage() {
  return <Page title="Audit Log">{null}</Page>;
}
