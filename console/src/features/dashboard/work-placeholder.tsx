import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./work.module.css";

/** Rows of the work cards while they load. */
export function WorkPlaceholder() {
  return (
    <div className={styles.rows} aria-hidden="true">
      {[60, 45, 70].map((percent) => (
        <div key={percent} className={styles.running}>
          <Skeleton width={`${percent}%`} />
        </div>
      ))}
    </div>
  );
}
