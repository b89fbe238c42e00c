export { UsersPage as UsersRoute } from "#console/features/users/users-page.tsx";
