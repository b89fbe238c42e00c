import type { ComponentProps, MouseEvent, ReactNode } from "react";
import styles from "./button.module.css";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";
import { Spinner } from "./spinner.tsx";
import { Tooltip } from "./tooltip.tsx";

export type ButtonKind = "primary" | "secondary" | "quiet" | "danger";

export type ButtonProps = Omit<ComponentProps<"button">, "children"> & {
  readonly kind?: ButtonKind;
  readonly large?: boolean;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
  /** Why the button is disabled, for everyone to read. */
  readonly disabledReason?: string | undefined;
  /** The action is in progress: the icon spins, and further clicks do nothing. */
  readonly busy?: boolean;
};

/**
 * When disabled, it stays focusable: its own click may disable it, and the focus must not be lost.
 * For the same reason the tooltip is rendered without a reason as well: adding it would remount the
 * button.
 */
export function Button(props: ButtonProps) {
  const button = <PlainButton {...props} />;
  return "disabledReason" in props ? (
    <Tooltip text={props.disabledReason}>{button}</Tooltip>
  ) : (
    button
  );
}

function PlainButton({
  kind = "secondary",
  large = false,
  icon,
  children,
  disabledReason,
  busy = false,
  disabled = false,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...pressable({ disabled, busy, disabledReason, onClick })}
      className={classNames(
        layout.small,
        layout.strong,
        styles.button,
        styles[kind],
        large && styles.large,
        className,
      )}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

function pressable({ disabled, busy, disabledReason, onClick }: Omit<ButtonProps, "children">) {
  const blocked = disabled === true || busy === true || disabledReason !== undefined;
  return {
    "aria-disabled": blocked || undefined,
    "aria-busy": busy === true || undefined,
    onClick: (event: MouseEvent<HTMLButtonElement>) =>
      blocked ? event.preventDefault() : onClick?.(event),
  };
}

export type IconButtonProps = Omit<ButtonProps, "children" | "large" | "icon"> & {
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly children: ReactNode;
};

export function IconButton({
  kind = "quiet",
  label,
  children,
  disabledReason,
  busy = false,
  disabled = false,
  className,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={disabledReason === undefined ? label : `${label}. ${disabledReason}`}>
      <button
        type="button"
        {...rest}
        {...pressable({ disabled, busy, disabledReason, onClick })}
        aria-label={label}
        className={classNames(
          layout.small,
          layout.strong,
          styles.button,
          styles.icon,
          styles[kind],
          className,
        )}
      >
        {busy ? <Spinner /> : children}
      </button>
    </Tooltip>
  );
}

/** The class of a link that looks like a button. */
export function buttonClassName(kind: ButtonKind, large = false): string {
  return classNames(
    layout.small,
    layout.strong,
    styles.button,
    styles[kind],
    large && styles.large,
  );
}
