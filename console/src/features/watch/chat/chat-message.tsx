import { Fragment, memo } from "react";
import { type ChatMessage } from "#contract/chat.ts";
import { clockTime } from "#contract/clock-time.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./chat.module.css";

/** A message as text: names, badges and emotes come from strangers. */
export const ChatLine = memo(function ChatLine({
  message,
  term,
}: {
  readonly message: ChatMessage;
  /** What is searched for, marked where it is found; may be empty. */
  readonly term: string;
}) {
  const { offsetSec, name, color, badges, parts } = message;
  return (
    <>
      <span className="tiny soft">{clockTime(offsetSec)}</span>{" "}
      {badges.map((badge) => (
        <Fragment key={badge}>
          <span className={classNames("tiny soft", styles.badge)}>
            {visibleText(badge.replaceAll(/[-_]/g, " "))}
          </span>{" "}
        </Fragment>
      ))}
      {/* The style sheet makes the colour readable in both themes. */}
      <span style={color === null ? undefined : { color }}>
        <strong className={styles.name}>
          {name === null ? "Deleted user" : marked(name, term)}
        </strong>
      </span>
      {": "}
      {parts.map(({ text, isEmote }, index) =>
        isEmote ? (
          <span key={index} className={styles.emote}>
            {marked(text, term)}
          </span>
        ) : (
          <Fragment key={index}>{marked(text, term)}</Fragment>
        ),
      )}
    </>
  );
});

function marked(text: string, term: string) {
  if (term === "") return visibleText(text);
  const pattern = new RegExp(`(${term.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")})`, "i");
  return visibleText(text)
    .split(pattern)
    .map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece));
}

/** A message in short, for lines that pass too fast to be read. */
export function briefLine({ offsetSec, name, parts }: ChatMessage): string {
  return visibleText(`${clockTime(offsetSec)} ${name ?? ""}: ${parts[0]?.text ?? ""}`);
}
