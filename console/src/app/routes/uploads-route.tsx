export { UploadsPage as UploadsRoute } from "#console/features/uploads/uploads-page.tsx";
