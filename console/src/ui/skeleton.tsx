import styles from "./skeleton.module.css";

/** Holds the place of text that is on its way. The region around it says `aria-busy`. */
export function Skeleton({ width, height }: { readonly width: string; readonly height?: string }) {
  return (
    <span
      className={styles.skeleton}
      style={{ width, height }}
      data-skeleton=""
      aria-hidden="true"
    />
  );
}
