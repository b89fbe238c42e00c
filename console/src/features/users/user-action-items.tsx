import { Ban, KeyRound, LogOut, Trash2, Undo2 } from "lucide-react";
import type { User } from "#contract/users.ts";
import { useSession } from "#console/lib/session.ts";
import type { MenuItem } from "#console/ui/menu.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
import { changeRefusal, signOutRefusal } from "./user-rules.ts";

/** What can be done to a user, for the menu of a row and the buttons of the details. */
export function useUserActionItems(
  user: User,
  onDialog: (dialog: OpenUserDialog) => void,
): readonly MenuItem[] {
  const session = useSession();
  if (session.status !== "signed-in") return [];
  const refusal = changeRefusal(session.admin, user);
  return [
    {
      label: "Manage Permissions",
      icon: <KeyRound />,
      disabledReason: refusal,
      onSelect: () => onDialog({ kind: "permissions", user }),
    },
    {
      label: "Sign Out Everywhere",
      icon: <LogOut />,
      disabledReason: signOutRefusal(session.admin, user),
      onSelect: () => onDialog({ kind: "endSessions", user }),
    },
    user.isBanned
      ? {
          label: "Unban User",
          icon: <Undo2 />,
          disabledReason: refusal,
          onSelect: () => onDialog({ kind: "unban", user }),
        }
      : {
          label: "Ban User",
          icon: <Ban />,
          danger: refusal === undefined,
          disabledReason: refusal,
          onSelect: () => onDialog({ kind: "ban", user }),
        },
    {
      label: "Erase Personal Data",
      icon: <Trash2 />,
      danger: refusal === undefined,
      disabledReason: refusal,
      onSelect: () => onDialog({ kind: "erase", user }),
    },
  ];
}
