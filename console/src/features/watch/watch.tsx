import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { ObjectKey, StoredFile } from "#contract/files.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { statusMeaningOf, storedRefusal } from "#console/domain/files/file-words.ts";
import { videoSourceOf } from "#console/domain/files/stored-file.ts";
import { apiAddress } from "#console/lib/api-request.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { useMediaQuery } from "#console/lib/media-query.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import { ChapterList } from "./chapter-list.tsx";
import { useChatLog } from "./chat/chat-log.ts";
import chatStyles from "./chat/chat.module.css";
import { clipBetween, clipFrom, clipNameOf, type Clip } from "./clip/clip.ts";
import { playerSettings } from "./player-memory.ts";
import { Player } from "./player.tsx";
import { afterRange } from "./timeline-math.ts";
import { usePlayback } from "./use-playback.ts";
import { UNPLAYABLE, usePlaylist } from "./use-playlist.ts";
import { useRememberedPosition } from "./use-remembered-position.ts";
import { moveTo } from "./video-element.ts";
import { WatchActions } from "./watch-actions.tsx";
import { storyboardQuery } from "./watch-queries.ts";
import { formatTime, parseTime } from "./watch-time.ts";
import styles from "./watch.module.css";

/** Where the source does not say. */
const DEFAULT_FRAMES_PER_SEC = 30;

/** Not needed for the first frame. */
const NO_ACTIVITY = <div className={chatStyles.activity} />;
const ChatActivity = lazyPart(
  async () => (await import("./chat/chat-activity.tsx")).ChatActivity,
  NO_ACTIVITY,
);
const ChatPanel = lazyPart(
  async () => (await import("./chat/chat-panel.tsx")).ChatPanel,
  <SkeletonFacts rows={4} />,
);
const WatchFacts = lazyPart(
  async () => (await import("./watch-facts.tsx")).WatchFacts,
  <SkeletonFacts rows={12} />,
);
const ClipEditor = lazyPart(async () => (await import("./clip/clip-editor.tsx")).ClipEditor);

/** A stored video with everything that is known about it. */
export function Watch({
  upload,
  file,
  fileKey,
  at,
  onReload,
}: {
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly fileKey: ObjectKey;
  /** Where to start, e.g. `1h2m3s`; undefined where it was left. */
  readonly at: string | undefined;
  /** Gets new addresses for the file: they expire. */
  readonly onReload: () => void;
}) {
  const { mutedRanges, missingRanges, durationSec } = upload.metadata;
  const { chapters, chat } = file;
  const source = videoSourceOf(file);
  const [video, setVideo] = useState<HTMLVideoElement | null>(null);
  const [measured, note] = usePlayback(video);
  const playback =
    measured.durationSec > 0 ? measured : { ...measured, durationSec: durationSec ?? 0 };
  const [failure, setFailure] = useState<string | null>(null);
  // The chat would delay the first frame.
  const mayReadChat = measured.started || failure !== null || source === undefined;
  const log = useChatLog(chat?.url, mayReadChat);
  const [theater, setTheater] = useState(() => playerSettings().theater);
  const [wantsStoryboard, setWantsStoryboard] = useState(false);
  const storyboard = useQuery({
    ...storyboardQuery(upload.id),
    enabled: wantsStoryboard && upload.hasStoryboard,
  });

  const leftAtSec = useRememberedPosition(upload.id, video);
  const askedSec = at === undefined ? undefined : parseTime(at);
  const [fromSec, setFromSec] = useState(() => afterRange(missingRanges, askedSec ?? leftAtSec));
  usePlaylist(video, source?.kind === "playlist" ? source.url : undefined, fromSec, setFailure);
  useAskedTime(video, askedSec);

  function seek(sec: number) {
    if (video === null) return;
    const lastSec = playback.durationSec || sec;
    moveTo(video, afterRange(missingRanges, Math.min(lastSec, Math.max(0, sec))));
    note();
  }
  const [clip, setClip] = useState<Clip | null>(null);
  /** Before the video is open, where it will start. */
  const nowSec = () =>
    video === null || video.readyState === HTMLMediaElement.HAVE_NOTHING
      ? (fromSec ?? 0)
      : video.currentTime;
  const wide = useMediaQuery("(width >= 64rem)");
  const facts = <WatchFacts upload={upload} file={file} fileKey={fileKey} onSeek={seek} />;
  const refusal = storedRefusal(file);
  return (
    <div className={styles.watch} data-theater={theater || undefined}>
      <div className={styles.main}>
        {file.status === "partial" && <Banner tone="warn">{statusMeaningOf(file)}</Banner>}
        {source === undefined ? (
          <Banner tone="bad">
            {refusal ?? "This file can't be played in the browser. Download it instead."}
          </Banner>
        ) : (
          <>
            {failure !== null && (
              <Banner
                tone="bad"
                actions={
                  <Button
                    onClick={() => {
                      setFailure(null);
                      setFromSec(playback.nowSec > 0 ? playback.nowSec : fromSec);
                      onReload();
                    }}
                  >
                    Try again
                  </Button>
                }
              >
                {failure}
              </Banner>
            )}
            <Player
              title={visibleText(upload.filename)}
              fileUrl={source.kind === "file" ? source.url : undefined}
              fromSec={fromSec}
              poster={
                upload.hasThumbnail
                  ? apiAddress(`/admin/uploads/${upload.id}/thumbnail`)
                  : undefined
              }
              video={video}
              onVideo={setVideo}
              playback={playback}
              frameSec={1 / framesPerSecOf(file)}
              content={{
                chapters,
                muted: mutedRanges,
                missing: missingRanges,
                clip: clip && rangeOf(clip),
              }}
              storyboard={storyboard.data}
              activity={
                chat &&
                (mayReadChat ? (
                  <ChatActivity
                    messages={log.data}
                    durationSec={playback.durationSec}
                    onSeek={seek}
                  />
                ) : (
                  NO_ACTIVITY
                ))
              }
              theater={theater}
              onPreview={() => setWantsStoryboard(true)}
              onTheater={setTheater}
              onClip={(end) => setClip(clipBetween(clip, { [end]: nowSec() }))}
              onSeek={seek}
              onFailure={() => setFailure(UNPLAYABLE)}
            />
          </>
        )}
        <div className={styles.actions}>
          <WatchActions
            fileKey={fileKey}
            file={file}
            onStartOver={at === undefined && leftAtSec > 0 ? () => seek(0) : undefined}
            onClip={
              source && clip === null
                ? () => setClip(clipFrom(nowSec(), playback.durationSec))
                : undefined
            }
            addressNow={() =>
              `${window.location.origin}${BASE_PATH}/watch/${upload.id}?t=${formatTime(nowSec())}`
            }
          />
        </div>
        {clip !== null && (
          <ClipEditor
            clip={clip}
            onClip={setClip}
            video={video}
            durationSec={playback.durationSec}
            fileKey={fileKey}
            name={clipNameOf(
              upload.owner?.displayName,
              upload.metadata.streamTitle ?? upload.filename,
              clip,
            )}
            sizeBytes={file.size}
            refusal={refusal}
            onClose={() => setClip(null)}
          />
        )}
        {wide && <Card title="Facts">{facts}</Card>}
      </div>
      <Side wide={wide}>
        {{
          Chat:
            chat &&
            (mayReadChat ? (
              <ChatPanel fileKey={fileKey} log={log} currentSec={playback.nowSec} onSeek={seek} />
            ) : (
              <SkeletonFacts rows={4} />
            )),
          Chapters: chapters.length > 0 && (
            <ChapterList chapters={chapters} nowSec={playback.nowSec} onSeek={seek} />
          ),
          Facts: !wide && facts,
        }}
      </Side>
    </div>
  );
}

function rangeOf({ fromSec, toSec }: Clip): TimeRange {
  return { startSec: fromSec, endSec: Math.max(fromSec, toSec) };
}

/** Beside the video on wide screens, below it on others: a tab for each part that there is. */
function Side({
  wide,
  children,
}: {
  readonly wide: boolean;
  readonly children: Readonly<Record<string, ReactNode>>;
}) {
  const tabs = Object.entries(children)
    .filter(([, part]) => part !== undefined && part !== false)
    .map(([label]) => ({ id: label, label }));
  const [wanted, setWanted] = useState("Chat");
  const chosen = (tabs.find(({ id }) => id === wanted) ?? tabs[0])?.id;
  if (chosen === undefined) return null;
  if (tabs.length === 1) return <Card title={chosen}>{children[chosen]}</Card>;
  const parts = (
    <Tabs label="About this video" tabs={tabs} chosen={chosen} onChoose={setWanted}>
      {children[chosen]}
    </Tabs>
  );
  return wide ? <Card>{parts}</Card> : parts;
}

/** Goes to the time in the address when it changes, e.g. by Back; the first one is the start. */
function useAskedTime(video: HTMLVideoElement | null, askedSec: number | undefined): void {
  const shownSec = useRef(askedSec);
  useEffect(() => {
    if (video === null || askedSec === undefined || askedSec === shownSec.current) return;
    shownSec.current = askedSec;
    moveTo(video, askedSec);
  }, [video, askedSec]);
}

function framesPerSecOf({ metadata: { framesPerSec } }: StoredFile): number {
  return typeof framesPerSec === "number" && framesPerSec > 0
    ? framesPerSec
    : DEFAULT_FRAMES_PER_SEC;
}
