import type { User } from "#contract/users.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { DialogSubject } from "#console/ui/dialog.tsx";

/** The id tells similar names apart. */
export function UserSubject({ user }: { readonly user: User }) {
  return (
    <DialogSubject
      name={visibleText(user.displayName)}
      detail={`@${visibleText(user.login)} · Twitch ID ${user.twitchId}`}
    />
  );
}
