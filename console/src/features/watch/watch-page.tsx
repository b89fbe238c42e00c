import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FileX, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { fileQuery } from "#console/features/files/file-queries.ts";
import { uploadQuery } from "#console/features/uploads/upload-queries.ts";
import { isFileDeleted } from "#console/features/uploads/upload-rules.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { Watch } from "./watch.tsx";
import styles from "./watch.module.css";

const route = getRouteApi("/watch/$uploadId");

/** Its type is stated because the routes, which tell its parameters, are made from it. */
export function WatchPage({ title }: ScreenProps): ReactNode {
  const id = uploadIdSchema.safeParse(route.useParams().uploadId).data;
  return id === undefined ? (
    <NothingThere title={title} />
  ) : (
    <WatchUpload key={id} id={id} title={title} />
  );
}

function WatchUpload({ id, title }: ScreenProps & { readonly id: UploadId }) {
  const { t } = route.useSearch();
  const upload = useQuery(uploadQuery(id));
  const fileKey = objectKeySchema.safeParse(upload.data?.fileKey).data;
  const file = useQuery(fileQuery(fileKey));
  if (isNotFound(upload.error) || isNotFound(file.error)) return <NothingThere title={title} />;
  const name = upload.data && visibleText(upload.data.metadata.streamTitle ?? upload.data.filename);
  return (
    <Page
      title={name ?? title}
      subtitle={upload.data?.owner && visibleText(upload.data.owner.displayName)}
      fullWidth
    >
      <QueryBody query={upload} skeleton={<Placeholder />}>
        {(known) =>
          fileKey === undefined ? (
            <WithoutFile
              upload={known}
              refreshing={upload.isFetching}
              onRefresh={() => void upload.refetch()}
            />
          ) : (
            <QueryBody query={file} skeleton={<Placeholder />}>
              {(stored) => (
                <Watch
                  upload={known}
                  file={stored}
                  fileKey={fileKey}
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

function NothingThere({ title }: ScreenProps) {
  return (
    <Page title={title}>
      <EmptyState
        icon={<FileX />}
        title="There is nothing to watch here"
        hint="The upload in this address does not exist any more."
        action={<MonitorLink />}
      />
    </Page>
  );
}

function WithoutFile({
  upload,
  refreshing,
  onRefresh,
}: {
  readonly upload: Upload;
  readonly refreshing: boolean;
  readonly onRefresh: () => void;
}) {
  const isOpen = upload.status === "pending" || upload.status === "processing";
  return (
    <EmptyState
      icon={<FileX />}
      title={isOpen ? "This video is not stored yet" : "This video has no file"}
      hint={
        isFileDeleted(upload) ? (
          "Its file was deleted."
        ) : (
          <UploadStatusBadge status={upload.status} />
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
          <MonitorLink upload={upload} />
        </>
      }
    />
  );
}

function MonitorLink({ upload }: { readonly upload?: Upload }) {
  return (
    <Link to="/uploads" search={{ upload: upload?.id }} className={buttonClassName("secondary")}>
      Upload Monitor
    </Link>
  );
}
