export { DashboardPage as DashboardRoute } from "#console/features/dashboard/dashboard-page.tsx";
