import type { Storyboard } from "#contract/pictures.ts";
import { frameAt } from "./timeline-math.ts";
import styles from "./timeline.module.css";

const WIDTH_PX = 160;

/** The storyboard's frame of a time, cut from its sheet. */
export function StoryboardFrame({
  storyboard,
  sec,
}: {
  readonly storyboard: Storyboard;
  readonly sec: number;
}) {
  const { frameWidth, frameHeight, columns, sheets } = storyboard;
  const { sheet, column, row } = frameAt(storyboard, sec);
  const heightPx = (WIDTH_PX * frameHeight) / frameWidth;
  return (
    <span className={styles.frame} data-storyboard="" style={{ width: WIDTH_PX, height: heightPx }}>
      <img
        src={sheets[sheet]}
        alt=""
        style={{
          width: columns * WIDTH_PX,
          transform: `translate(${-column * WIDTH_PX}px, ${-row * heightPx}px)`,
        }}
      />
    </span>
  );
}
