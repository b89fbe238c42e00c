export { DashboardPage as DashboardRoute } from "#console/features/dashboard/dashboard-page.tsx";
export { prefetchDashboard } from "#console/features/dashboard/prefetch-dashboard.ts";
