import { RotateCw, TriangleAlert } from "lucide-react";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";
import styles from "./message.module.css";

/** What failed and why, with a retry button. */
export function ErrorState({
  title,
  message,
  detail,
  onRetry,
  retrying = false,
}: {
  readonly title: string;
  readonly message?: string | undefined;
  /** The service's message, where `message` is fixed. */
  readonly detail?: string;
  readonly onRetry: () => void;
  readonly retrying?: boolean;
}) {
  return (
    <div className={classNames(layout.stack, styles.message)} role="alert">
      <span className={classNames(layout.centre, styles.icon, styles.bad)}>
        <TriangleAlert />
      </span>
      <p className={styles.title}>{title}</p>
      {message !== undefined && (
        <p className={classNames(layout.small, layout.soft, styles.text)}>{message}</p>
      )}
      {detail !== undefined && (
        <p className={classNames(layout.small, layout.soft, styles.text)}>{detail}</p>
      )}
      <div className={classNames(layout.wrap, styles.actions)}>
        <Button icon={<RotateCw />} onClick={onRetry} busy={retrying}>
          Retry
        </Button>
      </div>
    </div>
  );
}
