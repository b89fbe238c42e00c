export { FilesPage as FilesRoute } from "#console/features/files/files-page.tsx";
