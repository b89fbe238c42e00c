import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import styles from "./text-button.module.css";

/** A button within a line of text that looks like a link. */
export function TextButton({ className, ...rest }: ComponentProps<"button">) {
  return <button type="button" {...rest} className={classNames(styles.button, className)} />;
}
