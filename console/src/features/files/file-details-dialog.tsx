import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, Play } from "lucide-react";
import { partText } from "#contract/part.ts";
import type { ObjectKey, StoredFile } from "#contract/files.ts";
import { withheldRenditionSchema } from "#contract/quality.ts";
import { shortfallText } from "#contract/shortfall.ts";
import { FollowedChannel } from "#console/domain/channels/followed-channel.tsx";
import { ChatStored } from "#console/domain/uploads/chat-stored.tsx";
import { withheldText } from "#console/domain/uploads/rendition-text.ts";
import { proofFacts, storedFacts } from "#console/domain/files/file-facts.tsx";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { fileNameOf } from "#console/domain/files/file-words.ts";
import { formatChangesOf } from "#console/domain/files/format-changes.ts";
import { downloadStoredFile, videoSourceOf } from "#console/domain/files/stored-file.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { Copyable } from "#console/ui/copy-button.tsx";
import { Details, type Property } from "#console/ui/details.tsx";
import { Dialog, DialogError } from "#console/ui/dialog.tsx";
import { ItemButtons } from "#console/ui/item-buttons.tsx";
import { JsonView } from "#console/ui/json-view.tsx";
import { Spinner } from "#console/ui/spinner.tsx";
import { useFileActions } from "./file-items.tsx";

const noteClassName = "small soft";

/** docs/console.md#intervals */
const DUE_POLL_MS = 10_000;

/** All details of one file: first those of the list, then those stored now. */
export function FileDetailsDialog({
  fileKey,
  listed,
  deleting,
  onDelete,
  onClose,
}: {
  readonly fileKey: ObjectKey;
  /** The list's row; undefined when opened by address. */
  readonly listed: StoredFile | undefined;
  readonly deleting: boolean;
  readonly onDelete: (file: StoredFile) => void;
  readonly onClose: () => void;
}) {
  const stored = useQuery(fileQuery(fileKey));
  const file = stored.data ?? listed;
  usePolling(stored, stored.data?.isVerificationDue === true && DUE_POLL_MS);
  const actionsOf = useFileActions({ deleting, onDelete });
  const watchId = stored.data && videoSourceOf(stored.data) && stored.data.uploadId;
  return (
    <Dialog
      title={file === undefined ? "File details" : fileNameOf(file)}
      shape="wide"
      onClose={onClose}
      footer={
        file !== undefined && (
          <>
            <ItemButtons items={actionsOf(file, stored.data !== undefined)} />
            {stored.data?.playlistDownloadUrl !== undefined && (
              <Button
                icon={<Download />}
                onClick={() => void downloadStoredFile(file.key, "playlistDownloadUrl")}
              >
                Download playlist
              </Button>
            )}
            {typeof watchId === "string" && (
              <Link
                to="/watch/$uploadId"
                params={{ uploadId: watchId }}
                className={buttonClassName("primary")}
              >
                <Play />
                Watch
              </Link>
            )}
          </>
        )
      }
    >
      {stored.isError && <DialogError>{messageOf(stored.error)}</DialogError>}
      {file === undefined ? (
        stored.isPending && (
          <p className="row soft" role="status">
            <Spinner /> Loading...
          </p>
        )
      ) : (
        <FileFacts file={file} onRefresh={() => void stored.refetch()} />
      )}
    </Dialog>
  );
}

function FileFacts({
  file,
  onRefresh,
}: {
  readonly file: StoredFile;
  readonly onRefresh: () => void;
}) {
  const formatChanges = formatChangesOf(file);
  const withheld = withheldRenditionSchema.safeParse(file.metadata["withheldRendition"]);
  const { statedDurationSec, durationSec } = file.metadata;
  const hasMetadata = Object.keys(file.metadata).length > 0;
  const facts: readonly Property[] = [
    { name: "Filename", value: file.filename === null ? "N/A" : visibleText(file.filename) },
    { name: "Full Key", value: <Copyable text={file.key} label="key" /> },
    ...storedFacts(file),
    {
      name: "Username",
      value: (
        <>
          {visibleText(file.username ?? "N/A")}
          {file.username !== null && file.userId !== null && (
            <FollowedChannel owner={{ twitchId: file.userId, username: file.username }} />
          )}
        </>
      ),
    },
    ...(file.part === null ? [] : [{ name: "Part", value: partText(file.part) }]),
    { name: "VOD ID", value: file.vodId ?? "N/A" },
    {
      name: "Chat",
      value: file.uploadType === "twitch" && file.uploadId !== null && (
        <ChatStored uploadId={file.uploadId} chat={file.chatState} onAsked={onRefresh} />
      ),
    },
    ...proofFacts(file),
  ];
  return (
    <>
      <Details properties={facts} />
      {typeof statedDurationSec === "number" && typeof durationSec === "number" && (
        <p className={noteClassName}>{shortfallText({ statedDurationSec, durationSec })}.</p>
      )}
      {withheld.success && <p className={noteClassName}>{withheldText(withheld.data)}.</p>}
      {formatChanges !== undefined && <p className={noteClassName}>{formatChanges}</p>}
      {hasMetadata && (
        <section>
          <h3 className="small">Metadata</h3>
          <JsonView value={file.metadata} label="metadata" />
        </section>
      )}
    </>
  );
}
