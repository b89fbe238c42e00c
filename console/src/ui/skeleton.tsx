import styles from "./skeleton.module.css";

/** Placeholder for loading text. Set `aria-busy` on the region around it. */
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
