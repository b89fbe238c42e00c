import type { ReactNode } from "react";
import type { Permission } from "#contract/permissions.ts";
import { useCan } from "#console/lib/session.ts";
import { ForbiddenState } from "./forbidden-state.tsx";
import { Page } from "./page.tsx";

/**
 * A screen for those who may read it; others see what permission it needs, and nothing is
 * requested.
 */
export function PermissionGate({
  permission,
  title,
  children,
}: {
  readonly permission: Permission;
  /** The screen's title, shown in both cases. */
  readonly title: string;
  readonly children: ReactNode;
}) {
  return useCan(permission) ? (
    children
  ) : (
    <Page title={title}>
      <ForbiddenState permission={permission} />
    </Page>
  );
}
