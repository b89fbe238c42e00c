import { Fragment, memo } from "react";
import { chatTime, type ChatMessage } from "#contract/chat.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import styles from "./chat.module.css";

/** A message as text: names, badges and emotes come from strangers. */
export const ChatLine = memo(function ChatLine({ message }: { readonly message: ChatMessage }) {
  const { offsetSec, name, color, badges, parts } = message;
  return (
    <>
      <span className={styles.at}>{chatTime(offsetSec)}</span>{" "}
      {badges.map((badge) => (
        <Fragment key={badge}>
          <span className={styles.badge}>{visibleText(badge.replaceAll(/[-_]/g, " "))}</span>{" "}
        </Fragment>
      ))}
      {/* The style sheet makes the colour readable in both themes. */}
      <span style={color === null ? undefined : { color }}>
        <strong className={styles.name}>
          {name === null ? "Deleted user" : visibleText(name)}
        </strong>
      </span>
      {": "}
      {parts.map(({ text, isEmote }, index) =>
        isEmote ? (
          <span key={index} className={styles.emote}>
            {visibleText(text)}
          </span>
        ) : (
          visibleText(text)
        ),
      )}
    </>
  );
});

/** A message in short, for lines that pass too fast to be read. */
export function briefLine({ offsetSec, name, parts }: ChatMessage): string {
  return visibleText(`${chatTime(offsetSec)} ${name ?? ""}: ${parts[0]?.text ?? ""}`);
}
