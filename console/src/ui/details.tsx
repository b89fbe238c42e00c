import type { ReactNode } from "react";
import styles from "./details.module.css";

/** A property of a thing; null or false if it does not have it. */
export type Property = { readonly name: string; readonly value: ReactNode };

/** Properties of one thing, one per line; `Facts` is for figures, which are aligned. */
export function Details({
  properties = [],
  children,
}: {
  readonly properties?: readonly Property[];
  readonly children?: ReactNode;
}) {
  return (
    <dl className={styles.details}>
      {properties.map(
        ({ name, value }) =>
          value !== null &&
          value !== false && (
            <Detail key={name} name={name}>
              {value}
            </Detail>
          ),
      )}
      {children}
    </dl>
  );
}

export function Detail({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}) {
  return (
    <>
      <dt className="faint">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
