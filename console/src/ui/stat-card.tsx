import { Children, type ReactNode } from "react";
import cardStyles from "./card.module.css";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";
import { Skeleton } from "./skeleton.tsx";

export type StatCardContent = {
  readonly label: string;
  /** Null while it is loading. */
  readonly value: ReactNode | null;
  readonly note?: ReactNode;
  readonly icon?: ReactNode;
};

/** A number with its name. As a link, put `StatContent` into a link of `statLinkClassName`. */
export function StatCard(content: StatCardContent) {
  return (
    <div className={classNames(cardStyles.card, cardStyles.stat)}>
      <StatContent {...content} />
    </div>
  );
}

export function StatContent({ label, value, note, icon }: StatCardContent) {
  return (
    <>
      <span className={classNames(layout.row, layout.small, layout.soft, cardStyles.label)}>
        {label}
        {icon}
      </span>
      <span className={cardStyles.value}>{value ?? <Skeleton width="4ch" />}</span>
      {note !== undefined && (
        <span className={classNames(layout.note, layout.oneLine, cardStyles.note)}>{note}</span>
      )}
    </>
  );
}

export const statLinkClassName = classNames(cardStyles.card, cardStyles.stat);

/** `compact` leaves the screen to what stands below. */
export function StatGrid({
  compact = false,
  children,
}: {
  readonly compact?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={classNames(
        layout.stack,
        layout.gap3,
        cardStyles.grid,
        Children.count(children) > 3 && cardStyles.four,
        compact && cardStyles.compact,
      )}
    >
      {children}
    </div>
  );
}
