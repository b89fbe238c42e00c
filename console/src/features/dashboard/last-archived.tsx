import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Upload } from "#contract/upload.ts";
import { canWatch } from "#console/domain/uploads/upload-rules.ts";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { formatCount, formatDate, formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { ARCHIVED_SHOWN, RECENT_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

/** The newest archives as pictures that lead to the video; nothing before the first. */
export function LastArchived({
  archived,
  rare,
}: {
  readonly archived: UseQueryResult<UploadPage>;
  /** Stored VODs that the source muted, cut or deleted since. */
  readonly rare: number;
}) {
  if (archived.data?.items.length === 0) return null;
  return (
    <QueryCard
      title="Last Archived"
      query={archived}
      permission="read:uploads"
      intervalMs={RECENT_POLL_MS}
      skeleton={
        <div className={styles.shelf}>
          {Array.from({ length: ARCHIVED_SHOWN }, (_card, index) => (
            <div key={index} className={classNames(layout.stack, layout.gap0, styles.vod)}>
              <Thumbnail uploadId={null} />
              <strong>&nbsp;</strong>
              <small>&nbsp;</small>
            </div>
          ))}
        </div>
      }
      actions={
        <span className={layout.row}>
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
          <Link to="/files" className={buttonClassName("quiet")}>
            View all
          </Link>
        </span>
      }
    >
      {({ items }) => (
        <ul className={classNames(layout.small, styles.shelf)}>
          {items.map((upload) => (
            <li key={upload.id}>
              <ArchivedVod upload={upload} />
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}

function ArchivedVod({ upload }: { readonly upload: Upload }) {
  const { id, owner, filename, recordedAt, metadata } = upload;
  const facts = [
    owner === null ? null : visibleText(owner.displayName),
    recordedAt === null ? null : formatDate(new Date(recordedAt)),
  ];
  const content = (
    <>
      <Thumbnail uploadId={upload.hasThumbnail ? id : null} />
      {metadata.durationSec !== null && (
        <span className={classNames(layout.tiny, styles.length)}>
          {formatDuration(metadata.durationSec)}
        </span>
      )}
      <strong className={layout.oneLine}>{visibleText(metadata.streamTitle ?? filename)}</strong>
      <small className={classNames(layout.oneLine, layout.soft)}>
        {facts.filter(Boolean).join(" · ") || "\u00A0"}
      </small>
    </>
  );
  return canWatch(upload) ? (
    <Link
      to="/watch/$uploadId"
      params={{ uploadId: id }}
      className={classNames(layout.stack, layout.gap0, styles.vod)}
    >
      {content}
    </Link>
  ) : (
    <Link
      to="/uploads"
      search={{ upload: id }}
      className={classNames(layout.stack, layout.gap0, styles.vod)}
    >
      {content}
    </Link>
  );
}
