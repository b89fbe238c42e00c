export { AuditPage as AuditRoute } from "#console/features/audit/audit-page.tsx";
