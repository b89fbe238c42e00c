import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CloudDownload } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { UploadSize } from "#console/domain/uploads/upload-size.tsx";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { WatchLink } from "#console/domain/uploads/watch-link.tsx";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import layout from "#console/ui/layout.module.css";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { Time } from "#console/ui/time.tsx";
import {
  UPLOAD_STATUS_ICONS,
  UPLOAD_STATUS_LABELS,
  UPLOAD_STATUS_TONES,
} from "#console/ui/upload-status-badge.tsx";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { RECENT_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

export function RecentUploadsCard({ recent }: { readonly recent: UseQueryResult<UploadPage> }) {
  return (
    <QueryCard
      title="Recent Uploads"
      query={recent}
      permission="read:uploads"
      intervalMs={RECENT_POLL_MS}
      skeleton={<SkeletonFacts rows={7} />}
      actions={
        <Link to="/uploads" className={buttonClassName("quiet")}>
          View all
        </Link>
      }
    >
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon={<CloudDownload />} title="No recent uploads" />
        ) : (
          <ul className={classNames(layout.ruled, layout.small, styles.recent)}>
            {items.map((upload) => (
              <li key={upload.id}>
                <RecentUpload upload={upload} />
              </li>
            ))}
          </ul>
        )
      }
    </QueryCard>
  );
}

function RecentUpload({ upload }: { readonly upload: Upload }) {
  const title = visibleText(upload.metadata.streamTitle ?? "No title");
  return (
    <div className={styles.upload}>
      <Thumbnail uploadId={upload.hasThumbnail ? upload.id : null} />
      <span
        className={styles.uploadIcon}
        style={{ color: `var(--${UPLOAD_STATUS_TONES[upload.status]})` }}
      >
        {UPLOAD_STATUS_ICONS[upload.status]}
        <VisuallyHidden>{UPLOAD_STATUS_LABELS[upload.status]}</VisuallyHidden>
      </span>
      <Link
        to="/uploads"
        search={{ upload: upload.id }}
        className={classNames(layout.oneLine, styles.filename)}
      >
        {visibleText(upload.filename)}
      </Link>
      <span className={styles.end}>{Math.floor(upload.progress)}%</span>
      <span className={classNames(layout.soft, layout.tiny, layout.oneLine, styles.title)}>
        <WatchLink upload={upload} title={title} />
      </span>
      <span className={classNames(layout.soft, layout.tiny, styles.end)}>
        <UploadSize upload={upload} unknown="Size unknown" /> ·{" "}
        <Time at={upload.startedAt} absent="Not started" />
      </span>
    </div>
  );
}
