import type { ComponentProps, ReactNode } from "react";
import styles from "./button.module.css";
import { classNames } from "./class-names.ts";
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
  const blocked = disabled || busy || disabledReason !== undefined;
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => (blocked ? event.preventDefault() : onClick?.(event))}
      className={classNames(buttonClassName(kind, large), className)}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export type IconButtonProps = Omit<ButtonProps, "children" | "large" | "icon"> & {
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly children: ReactNode;
};

export function IconButton({ kind = "quiet", label, children, ...rest }: IconButtonProps) {
  const { disabledReason, className } = rest;
  return (
    <Tooltip text={disabledReason === undefined ? label : `${label}. ${disabledReason}`}>
      <PlainButton
        {...rest}
        kind={kind}
        icon={children}
        aria-label={label}
        className={classNames(styles.icon, className)}
      >
        {null}
      </PlainButton>
    </Tooltip>
  );
}

/** The class of a link that looks like a button. */
export function buttonClassName(kind: ButtonKind, large = false): string {
  return classNames("small strong", styles.button, styles[kind], large && styles.large);
}
