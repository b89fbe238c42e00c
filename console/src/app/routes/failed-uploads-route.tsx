export { FailedUploadsPage as FailedUploadsRoute } from "#console/features/uploads/failed-uploads-page.tsx";
