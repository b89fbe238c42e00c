export { SystemPage as SystemRoute } from "#console/features/system/system-page.tsx";
