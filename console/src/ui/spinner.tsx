import styles from "./spinner.module.css";

/** Says nothing by itself: put words beside it. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />;
}
