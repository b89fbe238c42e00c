import { queryOptions, skipToken, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { Fragment } from "react";
import { ArrowLeft, SkipBack, SkipForward } from "lucide-react";
import { neighbouringFiles, type ObjectKey, type StoredFile } from "#contract/files.ts";
import type { UploadId, UserId } from "#contract/ids.ts";
import { aboutFile, fileTitleOf } from "#console/domain/files/file-words.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { buttonClassName, IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { usePlayerKeys } from "./player-keys.ts";
import styles from "./watch.module.css";

type Video = StoredFile & { readonly uploadId: UploadId };

/** The channel's other videos by broadcast date, the nearest first; empty until they are known. */
export type Others = { readonly newer: readonly Video[]; readonly older: readonly Video[] };

export function useOtherVideos(key: ObjectKey | null | undefined): Others {
  const { data } = useQuery(
    queryOptions({
      queryKey: [...keyOf(neighbouringFiles), key],
      queryFn: key
        ? ({ signal }) => call(neighbouringFiles, { params: { key }, signal })
        : skipToken,
    }),
  );
  return { newer: watchable(data?.newer), older: watchable(data?.older) };
}

function watchable(files: readonly StoredFile[] = []): readonly Video[] {
  return files.flatMap((file) =>
    file.uploadId === null ? [] : [{ ...file, uploadId: file.uploadId }],
  );
}

/** Where a list of videos is called by its name. */
const LISTS: Readonly<Record<string, string>> = {
  "/": "Dashboard",
  "/uploads": "Upload Monitor",
  "/uploads/failed": "Failed Uploads",
};

export type Origin = { readonly pathname: string; readonly href: string } | undefined;

/** Back to where one came from with its filters, and on to the channel's videos before and after. */
export function WatchNavigation({
  origin,
  channel,
  others: { newer, older },
}: {
  /** Undefined when the page was opened by its address. */
  readonly origin: Origin;
  readonly channel: UserId | undefined;
  readonly others: Others;
}) {
  const { history } = useRouter();
  const navigate = useNavigate();
  const [next, previous] = [newer[0], older[0]];
  // The browser's own way back stays the one to the list.
  const go = (video: Video | undefined) => () =>
    video !== undefined &&
    void navigate({ to: "/watch/$uploadId", params: { uploadId: video.uploadId }, replace: true });
  usePlayerKeys(null, { P: go(previous), N: go(next) });
  return (
    <>
      <Link
        to="/files"
        search={{ user: channel }}
        className={buttonClassName("quiet")}
        onClick={(event) => {
          if (origin === undefined) return;
          event.preventDefault();
          history.push(origin.href);
        }}
      >
        <ArrowLeft />
        {LISTS[origin?.pathname ?? ""] ?? "File Browser"}
      </Link>
      {(
        [
          ["Previous video", "P", previous, "before", <SkipBack key="P" />],
          ["Next video", "N", next, "after", <SkipForward key="N" />],
        ] as const
      ).map(([name, key, video, where, icon]) => (
        <IconButton
          key={key}
          kind="secondary"
          label={video === undefined ? name : `${name}: ${fileTitleOf(video)}`}
          aria-keyshortcuts={`Shift+${key}`}
          disabledReason={video ? undefined : `The channel has none ${where} it.`}
          onClick={go(video)}
        >
          {icon}
        </IconButton>
      ))}
    </>
  );
}

/** The newest first, with a line where the shown one belongs. */
export function OtherVideos({ others: { newer, older } }: { readonly others: Others }) {
  return (
    <ol className={styles.others}>
      {[...newer.toReversed(), ...older].map((video, index) => (
        <Fragment key={video.key}>
          {index === newer.length && index > 0 && (
            <li className={classNames("note", styles.here)}>This video</li>
          )}
          <OtherVideo video={video} />
        </Fragment>
      ))}
    </ol>
  );
}

function OtherVideo({ video }: { readonly video: Video }) {
  const { uploadId, hasThumbnail } = video;
  return (
    <li>
      <Link
        to="/watch/$uploadId"
        params={{ uploadId }}
        className={classNames("row gap3", styles.choice)}
      >
        <Thumbnail uploadId={hasThumbnail ? uploadId : null} />
        <span className="anywhere">
          {fileTitleOf(video)}
          <br />
          <small>{aboutFile(video).join(" · ")}</small>
        </span>
      </Link>
    </li>
  );
}
