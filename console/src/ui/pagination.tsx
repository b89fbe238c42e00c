import { ChevronLeft, ChevronRight } from "lucide-react";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { Button } from "./button.tsx";
import styles from "./table.module.css";

export type PageFacts = {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalIsCapped?: boolean | undefined;
  readonly hasPrev: boolean;
  readonly hasNext: boolean;
};

/**
 * "Showing X to Y of Z results" with Previous and Next where there is more than one page. Whoever
 * reaches an end keeps the focus on the button that led there. Lists show it in a live region.
 */
export function Pagination({
  facts,
  noun = "results",
  onPage,
}: {
  readonly facts: PageFacts;
  readonly noun?: string;
  readonly onPage: (page: number) => void;
}) {
  const { page, limit, total, totalIsCapped, hasPrev, hasNext } = facts;
  const first = total === 0 ? 0 : (page - 1) * limit + 1;
  const last = totalIsCapped === true ? page * limit : Math.min(page * limit, total);
  const needsPages = total > limit || hasPrev || hasNext;
  return (
    <nav className={styles.pagination} aria-label="Pagination">
      <p aria-atomic="true">
        Showing {formatCount(first)} to {formatCount(last)} of {formatTotal(total, totalIsCapped)}{" "}
        {noun}
      </p>
      {needsPages && (
        <div className={styles.pages}>
          <Button
            icon={<ChevronLeft />}
            disabled={!hasPrev}
            focusableWhenDisabled
            onClick={() => onPage(page - 1)}
          >
            Previous
          </Button>
          <Button disabled={!hasNext} focusableWhenDisabled onClick={() => onPage(page + 1)}>
            Next
            <ChevronRight />
          </Button>
        </div>
      )}
    </nav>
  );
}
