import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { FollowedChannel } from "#console/domain/channels/followed-channel.tsx";
import { proofFacts, storedFacts } from "#console/domain/files/file-facts.tsx";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { UploadProgress } from "#console/domain/uploads/upload-progress.tsx";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { canCancel, isFileDeleted } from "#console/domain/uploads/upload-rules.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { formatDateTime, formatDuration } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Details } from "#console/ui/details.tsx";
import { Dialog } from "#console/ui/dialog.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { ItemButtons } from "#console/ui/item-buttons.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { UploadFacts } from "./upload-debug-panel.tsx";
import { UploadDialog } from "./upload-dialogs.tsx";
import styles from "./upload-drawer.module.css";
import { useUploadActions } from "./upload-items.tsx";
import { WatchPicture } from "./upload-name.tsx";
import { UploadTrouble } from "./upload-trouble.tsx";
import type { UploadDialogKind } from "./uploads-search.ts";

/** While it may change without a live stream (docs/console.md#intervals). */
const OPEN_POLL_MS = 10_000;

const GONE = <p>The linked upload no longer exists.</p>;

type Act = UploadDialogKind | undefined;

type Props = {
  /** The dialog of an action that is open, by the address. */
  readonly act: Act;
  readonly onAct: (act: Act) => void;
  readonly onClose: () => void;
};

/** One upload over its list: what it is, what can be done with it, and all that is known of it. */
export function UploadDrawer({
  id,
  rows = [],
  ...props
}: Props & {
  /** As it is in the address, valid or not. */
  readonly id: string;
  /** The list's; what is on it is shown at once. */
  readonly rows: readonly Upload[] | undefined;
}) {
  const listed = rows.find((row) => row.id === id);
  const validId = uploadIdSchema.safeParse(id).data;
  return validId === undefined ? (
    <Dialog title="Upload" shape="side" onClose={props.onClose}>
      {GONE}
    </Dialog>
  ) : (
    <KnownUpload id={validId} listed={listed} {...props} />
  );
}

function KnownUpload({
  id,
  listed,
  act,
  onAct,
  onClose,
}: Props & { readonly id: UploadId; readonly listed: Upload | undefined }) {
  const stored = useQuery(uploadQuery(id));
  const { data, error } = stored;
  const upload = data === undefined || (listed && listed.version > data.version) ? listed : data;
  usePolling(stored, upload !== undefined && canCancel(upload) && OPEN_POLL_MS);
  const isGone = error instanceof ApiError && error.code === "not_found";
  return (
    <>
      <Dialog
        title={
          upload === undefined
            ? "Upload"
            : visibleText(upload.metadata.streamTitle ?? upload.filename)
        }
        shape="side"
        onClose={onClose}
      >
        {isGone ? (
          GONE
        ) : upload !== undefined ? (
          <Content upload={upload} onAct={onAct} />
        ) : error === null ? (
          <SkeletonFacts rows={8} />
        ) : (
          <ErrorState
            title="Failed to load the upload"
            message={messageOf(error)}
            retrying={stored.isFetching}
            onRetry={() => void stored.refetch()}
          />
        )}
      </Dialog>
      {/* After the drawer, so that it also opens above it when both open at once. */}
      {act !== undefined && upload !== undefined && (
        <UploadDialog
          kind={act}
          upload={upload}
          onDeleted={onClose}
          onClose={() => onAct(undefined)}
        />
      )}
    </>
  );
}

function Content({ upload, onAct }: Pick<Props, "onAct"> & { readonly upload: Upload }) {
  const { filename, metadata, owner, recordedAt } = upload;
  const { durationSec } = metadata;
  const about = [
    owner && visibleText(owner.displayName),
    recordedAt !== null && formatDateTime(new Date(recordedAt)),
    durationSec !== null && formatDuration(durationSec),
  ];
  return (
    <>
      <WatchPicture upload={upload} label="Watch the video" className={styles.picture} />
      <div className="stack gap1 anywhere">
        <p className="small soft">
          {about.filter(Boolean).join(" · ")}
          {owner !== null && <FollowedChannel owner={owner} />}
        </p>
        <p className="note">{visibleText(filename)}</p>
      </div>
      <div className="beside top gap3">
        <UploadStatusBadge status={upload.status} />
        {isFileDeleted(upload) ? (
          <Badge tone="warn">File deleted</Badge>
        ) : (
          upload.status !== "completed" && (
            // The message follows in full.
            <UploadProgress upload={{ ...upload, errorMessage: null }} />
          )
        )}
      </div>
      <UploadTrouble upload={upload} />
      <Actions upload={upload} onAct={onAct} />
      <Proof fileKey={upload.fileKey} />
      <UploadFacts upload={upload} />
    </>
  );
}

function Actions({
  upload,
  onAct,
}: {
  readonly upload: Upload;
  readonly onAct: (act: UploadDialogKind) => void;
}) {
  const { itemsOf } = useUploadActions(({ kind }) => onAct(kind));
  return (
    <div className="wrap">
      <ItemButtons items={itemsOf(upload)} primary={/^(Watch|Retry)$/} />
    </div>
  );
}

/** Asks only once opened, because what is told about a file is audited. */
function Proof({ fileKey }: Pick<Upload, "fileKey">) {
  const [isOpen, setOpen] = useState(false);
  const file = useQuery(fileQuery(isOpen ? fileKey : null));
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.proof}>Proof</summary>
      {fileKey === null && <p className="soft">No file is stored.</p>}
      {isOpen && fileKey !== null && (
        <QueryBody query={file}>
          {(stored) => <Details properties={[...storedFacts(stored), ...proofFacts(stored)]} />}
        </QueryBody>
      )}
    </details>
  );
}
