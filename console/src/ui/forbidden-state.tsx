import type { Permission } from "#contract/permissions.ts";
import { EmptyState } from "./empty-state.tsx";

/** Shown instead of a screen that the administrator may not read. */
export function ForbiddenState({ permission }: { readonly permission: Permission }) {
  return (
    <EmptyState
      title="You don't have access to this"
      hint={`It needs the ${permission} permission. An administrator who can manage users may grant it.`}
    />
  );
}
