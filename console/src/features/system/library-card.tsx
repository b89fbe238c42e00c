import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderSync } from "lucide-react";
import { type Library, readLibrary, rebuildLibrary } from "#contract/library.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan, useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Card } from "#console/ui/card.tsx";
import { toneStyle } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { Facts } from "#console/ui/facts.tsx";
import styles from "./system.module.css";

/** docs/console.md#intervals */
const LIBRARY_POLL_MS = 30_000;

/** The folder for media servers; nothing where there is none. */
export function LibraryCard() {
  const mayRead = useCan("read:system");
  const query = useQuery({ ...callQuery(readLibrary), enabled: mayRead });
  const library = usePolling(query, mayRead && LIBRARY_POLL_MS).data?.library ?? null;
  const writeMissing = useMissingPermission("write:system");
  const queryClient = useQueryClient();
  async function rebuild() {
    await call(rebuildLibrary);
    await queryClient.invalidateQueries({ queryKey: keyOf(readLibrary) });
  }
  if (library === null) return null;
  return (
    <Card
      title="Library Folder"
      actions={
        <ConfirmButton
          button={{ icon: <FolderSync />, disabledReason: writeMissing, children: "Rebuild" }}
          title="Rebuild the library folder"
          question={`What is missing in ${visibleText(library.folder)} is made again within a minute, also what was removed there by hand. Other files stay as they are. If the folder is on a disk, check that it is mounted.`}
          confirmLabel="Rebuild"
          onConfirm={rebuild}
        />
      }
    >
      <State library={library} />
    </Card>
  );
}

function State({ library }: { readonly library: Library }) {
  const { folder, stored, listed, withoutConsent, withoutDate, problems, failure } = library;
  const reasons = [
    ...(failure === null ? [] : [failure.text]),
    ...problems.map(({ path, text }) => `${path}: ${text}`),
  ];
  return (
    <>
      {reasons.length > 0 && (
        <ul
          className={classNames("small anywhere callout", styles.reasons)}
          style={toneStyle("warn")}
        >
          {reasons.map((reason) => (
            <li key={reason}>{visibleText(reason)}</li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          { name: "Folder", value: visibleText(folder) },
          { name: "Listed", value: `${formatCount(listed)} of ${formatPlural(stored, "VOD")}` },
          ...(withoutConsent === 0
            ? []
            : [
                {
                  name: "Not agreed",
                  value: `${formatPlural(withoutConsent, "VOD")}: the owners have not agreed to media servers. Invite them again`,
                },
              ]),
          ...(withoutDate === 0
            ? []
            : [{ name: "Without a date", value: formatPlural(withoutDate, "VOD") }]),
        ]}
      />
      <p className="note">
        Media servers such as Jellyfin, Plex and Kodi read this folder. Let them mount it read-only:
        its videos are the stored files themselves.
      </p>
    </>
  );
}
