import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
} from "react";
import type { ChatMessage } from "#contract/chat.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { lastUpTo, searchChat, searchTexts } from "./chat-log.ts";
import { briefLine, ChatLine } from "./chat-message.tsx";
import watch from "../watch.module.css";
import styles from "./chat.module.css";

/** A message of one line. */
const USUAL_HEIGHT_PX = 26;
const KEY_STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
};

/**
 * The messages of a video, with the last one up to `currentSec` at the bottom. The list follows the
 * video until the reader scrolls.
 */
export function ChatReplay({
  messages,
  currentSec,
  onSeek,
}: {
  readonly messages: readonly ChatMessage[];
  readonly currentSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const [search, setSearch] = useState("");
  const term = useDeferredValue(search.trim().toLowerCase());
  const isSearching = term !== "";
  const texts = useMemo(() => (isSearching ? searchTexts(messages) : []), [messages, isSearching]);
  const found = useMemo(
    () => (isSearching ? searchChat(messages, texts, term) : messages),
    [messages, texts, term, isSearching],
  );
  if (messages.length === 0) return <EmptyState title="No messages" />;
  return (
    <div className={classNames("stack gap1", styles.chat)}>
      <SearchField placeholder="Search chat..." value={search} onChange={setSearch} />
      <output className={classNames("small soft", styles.count)}>
        {isSearching && `${formatPlural(found.length, "message")} found`}
      </output>
      <MessageList
        key={term}
        term={term}
        messages={found}
        currentSec={currentSec}
        onSeek={onSeek}
      />
    </div>
  );
}

function MessageList({
  term,
  messages,
  currentSec,
  onSeek,
}: {
  readonly term: string;
  readonly messages: readonly ChatMessage[];
  readonly currentSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  /** The scroll bar is dragged faster than anybody reads. */
  const [fast, setFast] = useState(false);
  const lastTop = useRef(0);
  /** The message that the keyboard is on; focused once it is drawn. */
  const [chosen, setChosen] = useState<number | null>(null);
  const current = lastUpTo(messages, currentSec);
  // oxlint-disable-next-line react/incompatible-library -- its values go to no memoized component
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT_PX,
    overscan: 10,
  });
  const shown = virtualizer.getVirtualItems();
  const heightPx = virtualizer.scrollRect?.height;
  // Measuring a line moves all those below it, which takes too long for each frame of a drag.
  const isBrief = fast && !following && virtualizer.isScrolling;
  const tabStop =
    [chosen, current].find((index) => shown.some((item) => item.index === index)) ??
    shown[0]?.index;

  const follow = useEffectEvent(() =>
    virtualizer.scrollToIndex(Math.max(0, current), { align: "end" }),
  );
  useLayoutEffect(() => {
    if (following) follow();
  }, [following, current, heightPx]);
  useEffect(() => {
    if (chosen === null) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${chosen}"] button`);
    button?.focus({ preventScroll: true });
  }, [chosen]);

  function handleKey(event: KeyboardEvent) {
    const { target } = event;
    const item = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    const on = Number(item?.dataset["index"]);
    const step = KEY_STEPS[event.key];
    if (step === undefined || Number.isNaN(on)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(messages.length - 1, Math.max(0, on + step));
    setFollowing(false);
    virtualizer.scrollToIndex(next, { align: "auto" });
    setChosen(next);
  }
  return (
    <div className={styles.frame}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move between its buttons */}
      <div
        ref={scroller}
        className={styles.scroller}
        onWheel={() => setFollowing(false)}
        onTouchMove={() => setFollowing(false)}
        onPointerDown={({ target, currentTarget }) => {
          // The scroll bar belongs to the element itself.
          if (target === currentTarget) setFollowing(false);
        }}
        onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
          setFast(Math.abs(scrollTop - lastTop.current) > clientHeight);
          lastTop.current = scrollTop;
        }}
        onKeyDown={handleKey}
      >
        <ol
          className={styles.messages}
          aria-label="Chat replay"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {shown.map(({ index, start }) => {
            const message = messages[index];
            return (
              message !== undefined && (
                <li
                  key={index}
                  ref={isBrief ? undefined : virtualizer.measureElement}
                  data-index={index}
                  aria-setsize={messages.length}
                  aria-posinset={index + 1}
                  aria-current={index === current || undefined}
                  data-later={index > current || undefined}
                  data-brief={isBrief || undefined}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <button
                    type="button"
                    className={classNames("small", watch.choice)}
                    tabIndex={index === tabStop ? 0 : -1}
                    onFocus={() => setChosen(index)}
                    onClick={() => {
                      setFollowing(true);
                      onSeek(message.offsetSec);
                    }}
                  >
                    {isBrief ? briefLine(message) : <ChatLine message={message} term={term} />}
                  </button>
                </li>
              )
            );
          })}
        </ol>
      </div>
      {!following && (
        <Button className={styles.back} onClick={() => setFollowing(true)}>
          Back to now
        </Button>
      )}
    </div>
  );
}
