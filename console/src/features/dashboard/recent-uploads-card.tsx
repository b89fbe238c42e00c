import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DASHBOARD_LISTS } from "#contract/dashboard.ts";
import type { Upload } from "#contract/upload.ts";
import { canWatch } from "#console/domain/uploads/upload-rules.ts";
import { UploadSize } from "#console/domain/uploads/upload-size.tsx";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
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

/** The newest uploads as pictures; a stored one leads to its video. */
export function RecentUploadsCard({
  recent,
  rare,
}: {
  readonly recent: UseQueryResult<UploadPage>;
  /** Stored VODs that the source muted, cut or deleted since. */
  readonly rare: number;
}) {
  return (
    <QueryCard
      title="Recent Uploads"
      query={recent}
      permission="read:uploads"
      intervalMs={RECENT_POLL_MS}
      skeleton={<SkeletonShelf />}
      actions={
        <span className="row">
          {rare > 0 && (
            <Link
              to="/files"
              search={{ source: "changed" }}
              className={buttonClassName("quiet")}
              title="Stored VODs that the source muted, cut or deleted since"
            >
              {formatCount(rare)} rare
            </Link>
          )}
          <Link to="/uploads" className={buttonClassName("quiet")}>
            View all
          </Link>
        </span>
      }
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="small soft">No recent uploads</p>
        ) : (
          <ul className={classNames("small", styles.shelf)}>
            {items.map((upload) => (
              <RecentUpload key={upload.id} upload={upload} />
            ))}
          </ul>
        )
      }
    </QueryCard>
  );
}

/** Of the same height as the pictures. */
export function SkeletonShelf() {
  return (
    <div className={styles.shelf} aria-hidden="true">
      {Array.from({ length: DASHBOARD_LISTS.recent.limit }, (_upload, index) => (
        <div key={index} className={styles.upload}>
          <Thumbnail uploadId={null} />
          <span>&nbsp;</span>
          <span>&nbsp;</span>
          <span>&nbsp;</span>
        </div>
      ))}
    </div>
  );
}

function RecentUpload({ upload }: { readonly upload: Upload }) {
  const { id, filename, status, progress, startedAt, hasThumbnail, metadata } = upload;
  const title = visibleText(metadata.streamTitle ?? "No title");
  return (
    <li className={styles.upload}>
      <Thumbnail uploadId={hasThumbnail ? id : null} />
      <span className={classNames("row gap1 tiny", styles.state)}>
        <span style={{ color: `var(--${UPLOAD_STATUS_TONES[status]})` }}>
          {UPLOAD_STATUS_ICONS[status]}
          <VisuallyHidden>{UPLOAD_STATUS_LABELS[status]}</VisuallyHidden>
        </span>{" "}
        {Math.floor(progress)}%
      </span>
      <strong className={classNames("oneLine", styles.title)}>
        {canWatch(upload) ? (
          <Link to="/watch/$uploadId" params={{ uploadId: id }}>
            {title}
          </Link>
        ) : (
          title
        )}
      </strong>
      <Link
        to="/uploads"
        search={{ upload: id }}
        className={classNames("tiny oneLine", styles.filename)}
      >
        {visibleText(filename)}
      </Link>
      <span className="soft tiny oneLine">
        <UploadSize upload={upload} unknown="Size unknown" /> ·{" "}
        <Time at={startedAt} absent="Not started" />
      </span>
    </li>
  );
}
