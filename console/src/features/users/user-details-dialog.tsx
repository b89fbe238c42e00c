import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { UserId } from "#contract/ids.ts";
import { getUser, type User } from "#contract/users.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatCount } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge } from "#console/ui/badge.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Detail, Details } from "#console/ui/details.tsx";
import { Dialog, DialogError } from "#console/ui/dialog.tsx";
import { ItemButtons } from "#console/ui/item-buttons.tsx";
import { Time } from "#console/ui/time.tsx";
import { useUserActionItems } from "./user-action-items.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
import { UserRole, UserStatus } from "./user-columns.tsx";

/** Side panel of one user: account, property, permissions. */
export function UserDetailsDialog({
  id,
  listed,
  onDialog,
  onClose,
}: {
  readonly id: UserId;
  /** The list's row; undefined when opened by address. */
  readonly listed: User | undefined;
  readonly onDialog: (dialog: OpenUserDialog) => void;
  readonly onClose: () => void;
}) {
  const {
    data: user,
    error,
    isPending,
  } = useQuery({
    ...callQuery(getUser, { params: { id } }),
    ...(listed === undefined ? {} : { placeholderData: listed }),
    staleTime: 0,
  });
  return (
    <Dialog
      title={user === undefined ? "User" : visibleText(user.displayName)}
      shape="side"
      onClose={onClose}
      footer={user && <UserButtons user={user} onDialog={onDialog} />}
    >
      {isPending && <p role="status">Loading...</p>}
      {error !== null && <DialogError>{messageOf(error)}</DialogError>}
      {user !== undefined && <UserFacts user={user} />}
    </Dialog>
  );
}

function UserButtons({
  user,
  onDialog,
}: {
  readonly user: User;
  readonly onDialog: (dialog: OpenUserDialog) => void;
}) {
  return <ItemButtons items={useUserActionItems(user, onDialog)} />;
}

function UserFacts({ user }: { readonly user: User }) {
  const canReadUploads = useCan("read:uploads");
  const canReadSystem = useCan("read:system");
  return (
    <>
      <div className="row gap4">
        <Avatar name={user.displayName} imageUrl={user.profileImageUrl} size={56} />
        <div className="wrap">
          <UserRole user={user} />
          <UserStatus user={user} />
        </div>
      </div>
      <Details>
        <Detail name="Username">
          @{visibleText(user.login)}
          <CopyButton text={user.login} label="Copy username" />
        </Detail>
        <Detail name="Twitch ID">
          {user.twitchId}
          <CopyButton text={user.twitchId} label="Copy Twitch ID" />
        </Detail>
        <Detail name="Email">{user.email === null ? "Unknown" : visibleText(user.email)}</Detail>
        <Detail name="Last login">
          <Time at={user.lastLoginAt} />
        </Detail>
        <Detail name="First seen">
          <Time at={user.createdAt} />
        </Detail>
        <Detail name="Uploads">
          {canReadUploads && user.uploads > 0 ? (
            <Link to="/uploads" search={{ search: user.login }}>
              {formatCount(user.uploads)}
            </Link>
          ) : (
            formatCount(user.uploads)
          )}
        </Detail>
        <Detail name="Stored">
          {canReadUploads && user.storedBytes > 0 ? (
            <Link to="/files" search={{ user: user.id }}>
              {formatBytes(user.storedBytes)}
            </Link>
          ) : (
            formatBytes(user.storedBytes)
          )}
        </Detail>
        {canReadSystem && (
          <Detail name="Actions">
            <Link to="/audit" search={{ actor: user.id, period: "yesterday" }}>
              Yesterday
            </Link>{" "}
            ·{" "}
            <Link to="/audit" search={{ actor: user.id }}>
              All
            </Link>
          </Detail>
        )}
        {user.isBootstrap && <Detail name="Named in">the deployment&apos;s settings</Detail>}
      </Details>
      <section className="stack">
        <h3 className="small">Permissions</h3>
        {user.permissions.length === 0 ? (
          <p className="soft small">None: a regular user.</p>
        ) : (
          <ul className="wrap">
            {user.permissions.map((permission) => (
              <li key={permission}>
                <Badge>{permission}</Badge>
              </li>
            ))}
          </ul>
        )}
        {user.isBanned && user.permissions.length > 0 && (
          <p className="soft small">Not in effect while they are banned.</p>
        )}
      </section>
    </>
  );
}
