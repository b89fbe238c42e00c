import styles from "./spinner.module.css";

/** Hidden from screen readers: put words beside it. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />;
}
