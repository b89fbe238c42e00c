import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { videoSourceOf } from "#console/domain/files/stored-file.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { isFileDeleted } from "#console/domain/uploads/upload-rules.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { formatDate } from "#console/lib/format.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Time } from "#console/ui/time.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { openAhead } from "./open-playlist.ts";
import { useOtherVideos, WatchNavigation, type Origin } from "./other-videos.tsx";
import { startOf } from "./player-memory.ts";
import styles from "./watch.module.css";
import { FollowedChannel, Watch } from "./watch.tsx";

/** While a chat is read, to show how far (docs/console.md#intervals). */
const CHAT_POLL_MS = 10_000;

const route = getRouteApi("/watch/$uploadId");

/** Requests an upload with its file, and the beginning of its video. */
async function prefetchWatch({
  queryClient,
  search,
  params,
  cause,
}: ScreenOpening<{ readonly t?: string | undefined }>): Promise<void> {
  // Playing uses the file's link, which is audited.
  if (cause === "preload") return;
  const id = uploadIdSchema.safeParse(params["uploadId"]).data;
  if (id === undefined) return;
  const upload = await queryClient.fetchQuery({
    ...uploadQuery(id),
    staleTime: JUST_ANSWERED_MS,
  });
  if (upload.fileKey === null) return;
  const file = await queryClient.fetchQuery({
    ...fileQuery(upload.fileKey),
    gcTime: JUST_ANSWERED_MS,
  });
  const source = videoSourceOf(file);
  if (source?.kind === "playlist") openAhead(source.url, startOf(upload, search.t));
}

/** Its type is stated because the routes, which tell its parameters, are made from it. */
function WatchPage({ title }: ScreenProps): ReactNode {
  const id = uploadIdSchema.safeParse(route.useParams().uploadId).data;
  const router = useRouter();
  // The screen is drawn before the router counts it as reached.
  const [origin] = useState(() => router.state.resolvedLocation);
  return id === undefined ? (
    <NothingThere title={title} />
  ) : (
    <WatchUpload key={id} id={id} title={title} origin={origin} />
  );
}

function WatchUpload({
  id,
  title,
  origin,
}: ScreenProps & { readonly id: UploadId; readonly origin: Origin }) {
  const { t } = route.useSearch();
  const upload = useQuery({
    ...uploadQuery(id),
    staleTime: JUST_ANSWERED_MS,
    refetchInterval: ({ state }) => state.data?.chat.state === "reading" && CHAT_POLL_MS,
  });
  const file = useQuery(fileQuery(upload.data?.fileKey));
  const others = useOtherVideos(file.data?.key);
  if (isNotFound(upload.error)) return <NothingThere title={title} />;
  const name = upload.data && visibleText(upload.data.metadata.streamTitle ?? upload.data.filename);
  return (
    <Page
      title={name ?? title}
      subtitle={<Subtitle upload={upload.data} />}
      actions={
        <WatchNavigation origin={origin} channel={upload.data?.owner?.userId} others={others} />
      }
      className={styles.watch}
      fullWidth
    >
      <QueryBody query={upload} skeleton={<Placeholder />}>
        {(known) =>
          known.fileKey === null || isNotFound(file.error) ? (
            <NothingToWatch
              upload={{ ...known, fileKey: null }}
              refreshing={upload.isFetching}
              onRefresh={() => void upload.refetch()}
            />
          ) : (
            <QueryBody query={file} skeleton={<Placeholder />}>
              {(stored) => (
                <Watch
                  upload={known}
                  file={stored}
                  others={others}
                  at={t}
                  onReload={() => void file.refetch()}
                />
              )}
            </QueryBody>
          )
        }
      </QueryBody>
    </Page>
  );
}

/** The channel, when it was broadcast, and when it was archived. */
function Subtitle({ upload }: { readonly upload: Upload | undefined }) {
  // As high as with text.
  if (upload === undefined) return "\u00A0";
  const { owner, recordedAt, completedAt } = upload;
  return (
    <>
      {owner !== null && (
        <>
          <Link to="/files" search={{ user: owner.userId }}>
            {visibleText(owner.displayName)}
          </Link>
          <FollowedChannel owner={owner} />
        </>
      )}
      {recordedAt !== null && ` · Broadcast ${formatDate(new Date(recordedAt))}`}
      {completedAt !== null && (
        <>
          {" · "}Archived <Time at={completedAt} />
        </>
      )}
    </>
  );
}

function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "not_found";
}

/** As large as the player. */
function Placeholder() {
  return (
    <div className={styles.placeholder}>
      <Skeleton width="100%" height="100%" />
    </div>
  );
}

/** Why there is no video: no such upload, or it has no file. */
function NothingToWatch({
  upload,
  refreshing = false,
  onRefresh,
}: {
  /** Undefined if there is none. */
  readonly upload?: Upload;
  readonly refreshing?: boolean;
  readonly onRefresh?: () => void;
}) {
  const isOpen = upload?.status === "pending" || upload?.status === "processing";
  return (
    <EmptyState
      title={
        upload === undefined
          ? "There is nothing to watch here"
          : isOpen
            ? "This video is not stored yet"
            : "This video has no file"
      }
      hint={
        upload === undefined ? (
          "This address belongs to no upload. It may have been deleted."
        ) : isFileDeleted(upload) ? (
          "Its file was deleted."
        ) : upload.errorMessage === null ? (
          <UploadStatusBadge status={upload.status} />
        ) : (
          visibleText(upload.errorMessage)
        )
      }
      action={
        <>
          {isOpen && (
            <Button
              icon={<RefreshCw />}
              aria-keyshortcuts="r"
              data-shortcut="refresh"
              busy={refreshing}
              onClick={onRefresh}
            >
              Refresh
            </Button>
          )}
          <Link
            to="/uploads"
            search={{ upload: upload?.id }}
            className={buttonClassName("secondary")}
          >
            Upload Monitor
          </Link>
        </>
      }
    />
  );
}

function NothingThere({ title }: ScreenProps) {
  return (
    <Page title={title}>
      <NothingToWatch />
    </Page>
  );
}

export { WatchPage as Screen, prefetchWatch as prefetch };
