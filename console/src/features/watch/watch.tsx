import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Chapter, StoredFile } from "#contract/files.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { statusMeaningOf, storedRefusal } from "#console/domain/files/file-words.ts";
import { videoSourceOf } from "#console/domain/files/stored-file.ts";
import { rememberedPosition, rememberPosition } from "#console/domain/files/watch-positions.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { useMediaQuery } from "#console/lib/media-query.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import chatStyles from "./chat/chat.module.css";
import { chapterAt, clipBetween } from "./timeline-math.ts";
import { missingDecoderOf, playFile, playPlaylist, UNPLAYABLE } from "./open-playlist.ts";
import { OtherVideos, type Others } from "./other-videos.tsx";
import { startOf } from "./player-memory.ts";
import { Player } from "./player.tsx";
import { moveTo, usePlayback, type Playback } from "./use-playback.ts";
import { useView } from "./use-view.ts";
import { WatchActions } from "./watch-actions.tsx";
import { parseTime } from "#contract/clock-time.ts";
import { formatClock, formatTime } from "./watch-time.ts";
import styles from "./watch.module.css";

const SAVE_EVERY_SEC = 5;

const NO_ACTIVITY = <div className={chatStyles.activity} />;
const NO_CHAT = <SkeletonFacts rows={4} />;
const NO_FACTS = <SkeletonFacts rows={12} />;
const later = () => import("./later-parts.ts");
const ChatActivity = lazyPart(async () => (await later()).ChatActivity, NO_ACTIVITY);
const ChatAbsent = lazyPart(async () => (await later()).ChatAbsent);
const ChatPanel = lazyPart(async () => (await later()).ChatPanel, NO_CHAT);
const WatchFacts = lazyPart(async () => (await later()).WatchFacts, NO_FACTS);
const ClipEditor = lazyPart(async () => (await later()).ClipEditor);
export const FollowedChannel = lazyPart(async () => (await later()).FollowedChannel);

/** A stored video with everything that is known about it. */
export function Watch({
  upload,
  file,
  others,
  at,
  onReload,
}: {
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly others: Others;
  /** Where to start, e.g. `1h2m3s`; undefined where it was left. */
  readonly at: string | undefined;
  /** Gets new addresses for the file: they expire. */
  readonly onReload: () => void;
}) {
  const { chapters, chat } = file;
  const [failure, setFailure] = useState<string | null>(null);
  const [hasPlayed, setHasPlayed] = useState(false);
  const [missingDecoder] = useState(() => missingDecoderOf(file));
  // Trying again would end in the same way; what has played once may be damaged further on.
  const isUnplayable = missingDecoder !== undefined || (failure === UNPLAYABLE && !hasPlayed);
  const source = isUnplayable ? undefined : videoSourceOf(file);
  const kind = source?.kind;
  const url = source?.url;
  const [video, setVideo] = useState<HTMLVideoElement | null>(null);
  const [playback, seek] = usePlayback(video, upload.metadata);
  if (!hasPlayed && playback.hasFrame) setHasPlayed(true);
  // The chat would delay the first frame. It stays while the video seeks.
  const [isOpen, setIsOpen] = useState(source === undefined);
  if (!isOpen && (playback.hasMetadata || failure !== null)) setIsOpen(true);
  const [clip, setClip] = useState<TimeRange | null>(null);
  const wide = useMediaQuery("(width >= 64rem)");
  const [player, setPlayer] = useState<HTMLElement | null>(null);
  const view = useView(player);

  const [leftAtSec] = useState(() => rememberedPosition(upload.id));
  useRememberedPosition(upload, playback);
  const [fromSec, setFromSec] = useState(() => startOf(upload, at));
  useEffect(() => {
    if (video === null || url === undefined) return undefined;
    const play = kind === "playlist" ? playPlaylist : playFile;
    const leaving = new AbortController();
    play(video, url, fromSec, setFailure, leaving.signal);
    return () => leaving.abort();
  }, [video, kind, url, fromSec]);
  useAskedTime(video, at);

  function tryAgain() {
    setFailure(null);
    if (playback.nowSec > 0) setFromSec(playback.nowSec);
    onReload();
  }
  /** Before the video is open, where it will start. */
  const nowSec = () => (video !== null && playback.hasMetadata ? video.currentTime : fromSec);
  function moveClip(end: keyof TimeRange) {
    setClip(clipBetween(clip, { [end]: nowSec() }, playback.durationSec));
  }
  const facts = <WatchFacts upload={upload} file={file} onSeek={seek} />;
  return (
    <>
      {source !== undefined && (
        <Player
          upload={upload}
          file={file}
          clip={clip}
          player={player}
          onPlayer={setPlayer}
          view={view}
          video={video}
          onVideo={setVideo}
          playback={playback}
          activity={
            chat &&
            (isOpen ? (
              <ChatActivity url={chat.url} durationSec={playback.durationSec} onSeek={seek} />
            ) : (
              NO_ACTIVITY
            ))
          }
          onClip={moveClip}
          onSeek={seek}
        />
      )}
      <div className={classNames("stack gap3", styles.below)}>
        {file.status === "partial" && <Banner tone="warn">{statusMeaningOf(file)}</Banner>}
        {source === undefined && (
          <Banner tone="bad">
            {storedRefusal(file) ??
              (missingDecoder === undefined
                ? (failure ?? "This file can't be played in the browser. Download it instead.")
                : `This browser can't play ${missingDecoder} video. Download it instead.`)}
          </Banner>
        )}
        {source !== undefined && failure !== null && (
          <Banner tone="bad" actions={<Button onClick={tryAgain}>Try again</Button>}>
            {failure === UNPLAYABLE ? "The video can't be decoded from here on." : failure}
          </Banner>
        )}
        <div className="wrap">
          <WatchActions
            file={file}
            onStartOver={at === undefined && leftAtSec > 0 ? () => seek(0) : undefined}
            clipping={clip !== null}
            onClip={source && (() => (clip === null ? moveClip("startSec") : setClip(null)))}
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
            file={file}
          />
        )}
        {wide && <Card title="Facts">{facts}</Card>}
      </div>
      {view.isSideShown && (
        <Side wide={wide || view.isTheater}>
          {{
            Chat: chat ? (
              isOpen ? (
                <ChatPanel
                  fileKey={file.key}
                  url={chat.url}
                  currentSec={playback.nowSec}
                  onSeek={seek}
                />
              ) : (
                NO_CHAT
              )
            ) : (
              upload.kind === "twitch" && <ChatAbsent upload={upload} onReload={tryAgain} />
            ),
            Chapters: chapters.length > 0 && (
              <ChapterList chapters={chapters} nowSec={playback.nowSec} onSeek={seek} />
            ),
            Videos: others.newer.length + others.older.length > 0 && (
              <OtherVideos others={others} />
            ),
            Facts: !wide && facts,
          }}
        </Side>
      )}
    </>
  );
}

/** The chapters as a list; each leads to its start. */
function ChapterList({
  chapters,
  nowSec,
  onSeek,
}: {
  readonly chapters: readonly Chapter[];
  readonly nowSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const current = chapterAt(chapters, nowSec);
  return (
    <ol>
      {chapters.map((chapter) => (
        <li key={chapter.startSec}>
          <button
            type="button"
            className={classNames("row gap3", styles.choice)}
            aria-current={chapter === current || undefined}
            onClick={() => onSeek(chapter.startSec)}
          >
            <span className={classNames("small soft", styles.at)}>
              {formatClock(chapter.startSec)}
            </span>
            {visibleText(chapter.title)}
          </button>
        </li>
      ))}
    </ol>
  );
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
  const parts = (
    <Tabs label="About this video" tabs={tabs} chosen={chosen} onChoose={setWanted}>
      {children[chosen]}
    </Tabs>
  );
  const isSingle = tabs.length === 1;
  return (
    <div className={styles.side}>
      {isSingle || wide ? (
        <Card title={isSingle ? chosen : undefined}>{isSingle ? children[chosen] : parts}</Card>
      ) : (
        parts
      )}
    </div>
  );
}

/** Notes where an upload is left on this device: every few seconds, at a pause and after a seek. */
function useRememberedPosition({ id }: Upload, { hasFrame, paused, ...playback }: Playback): void {
  const { nowSec, durationSec } = playback;
  const leftSec = paused ? nowSec : nowSec - (nowSec % SAVE_EVERY_SEC);
  useEffect(() => {
    if (hasFrame) rememberPosition(id, leftSec, durationSec);
  }, [id, hasFrame, leftSec, durationSec]);
}

/** Goes to the time in the address when it changes, e.g. by Back; the first one is the start. */
function useAskedTime(video: HTMLVideoElement | null, at: string | undefined): void {
  const shown = useRef(at);
  useEffect(() => {
    const askedSec = at === undefined || at === shown.current ? undefined : parseTime(at);
    if (video === null || askedSec === undefined) return;
    shown.current = at;
    moveTo(video, askedSec);
  }, [video, at]);
}
