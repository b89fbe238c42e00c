import { useQuery } from "@tanstack/react-query";
import type { UploadId } from "#contract/ids.ts";
import type { Storyboard } from "#contract/pictures.ts";
import { call } from "#console/lib/api-client.ts";
import styles from "./storyboard-frame.module.css";

/** The storyboard's frame of a time, cut from its sheet; nothing until it is loaded. */
export function StoryboardFrame({
  id,
  sec,
  widthPx,
}: {
  readonly id: UploadId;
  readonly sec: number;
  readonly widthPx: number;
}) {
  const { data: storyboard } = useQuery({
    queryKey: ["storyboard", id],
    queryFn: async ({ signal }) => {
      const { getStoryboard } = await import("#contract/pictures.ts");
      return call(getStoryboard, { params: { id }, signal });
    },
    staleTime: Infinity,
  });
  if (storyboard === undefined) return null;
  const { frameWidth, frameHeight, columns, sheets } = storyboard;
  const { sheet, column, row } = frameAt(storyboard, sec);
  const heightPx = (widthPx * frameHeight) / frameWidth;
  return (
    <span className={styles.frame} data-storyboard="" style={{ width: widthPx, height: heightPx }}>
      <img
        src={sheets[sheet]}
        alt=""
        style={{
          width: columns * widthPx,
          transform: `translate(${-column * widthPx}px, ${-row * heightPx}px)`,
        }}
      />
    </span>
  );
}

/** The storyboard's frame that shows this time; its sheet, column and row count from 0. */
export function frameAt(
  { intervalSec, frames, columns, rows, beginsAtSec = 0 }: Storyboard,
  sec: number,
) {
  const frame = Math.min(frames - 1, Math.max(0, Math.floor((beginsAtSec + sec) / intervalSec)));
  const cell = frame % (columns * rows);
  return {
    sheet: Math.floor(frame / (columns * rows)),
    column: cell % columns,
    row: Math.floor(cell / columns),
  };
}
