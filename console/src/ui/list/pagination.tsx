import { ChevronLeft, ChevronRight } from "lucide-react";
import type { SubmitEvent } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import { formatCount, formatTotal, type Noun } from "#console/lib/format.ts";
import { PAGE_SIZES } from "#console/lib/page-size.ts";
import type { List, SetPage } from "#console/lib/use-list.ts";
import { Button } from "../button.tsx";
import { classNames } from "../class-names.ts";
import field from "../field.module.css";
import { Select } from "../select.tsx";
import { Spinner } from "../spinner.tsx";
import styles from "./pagination.module.css";

type PageFacts = Omit<PagedList<unknown>, "items">;

/**
 * "Showing X to Y of Z results" with Previous and Next where there is more than one page. Each
 * press turns one page, even while an answer is pending, which a spinner shows. Lists show this in a live region.
 */
export function Pagination({
  facts,
  wantedPage,
  noun,
  onSetPage,
  pageSize,
}: {
  /** Of the last answer. */
  readonly facts: PageFacts;
  /** The last requested page. */
  readonly wantedPage: number;
  readonly noun: Noun;
  readonly onSetPage: SetPage;
  readonly pageSize?: List<unknown>["pageSize"];
}) {
  const { limit, total, totalIsCapped, hasPrev, hasNext } = facts;
  const page = existingPage(facts);
  const lastPage = Math.max(hasNext ? page + 1 : page, Math.ceil(total / limit));
  const first = total === 0 ? 0 : (page - 1) * limit + 1;
  const last = totalIsCapped === true ? page * limit : Math.min(page * limit, total);
  const needsPages = total > limit || hasPrev || hasNext;
  function goTo(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const wanted = Number(new FormData(event.currentTarget).get("page"));
    if (wanted >= 1) onSetPage(() => Math.min(lastPage, Math.floor(wanted)));
  }
  return (
    <nav className={classNames("between small soft", styles.pagination)} aria-label="Pagination">
      <p aria-atomic="true">
        Showing {formatCount(first)} to {formatCount(last)} of{" "}
        {formatTotal(total, totalIsCapped, noun)}
      </p>
      {needsPages && (
        <div className="row">
          {wantedPage !== facts.page && <Spinner />}
          <Button
            icon={<ChevronLeft />}
            disabled={wantedPage === page ? !hasPrev : wantedPage <= 1}
            onClick={() => onSetPage((from) => Math.max(1, from - 1))}
          >
            Previous
          </Button>
          <Button
            disabled={wantedPage === page ? !hasNext : wantedPage >= lastPage}
            onClick={() => onSetPage((from) => Math.min(lastPage, from + 1))}
          >
            Next
            <ChevronRight />
          </Button>
          {lastPage > 2 && totalIsCapped !== true && (
            <form onSubmit={goTo}>
              <label className="row">
                Page
                <input
                  key={page}
                  className={classNames(field.input, styles.goTo)}
                  name="page"
                  type="number"
                  min={1}
                  max={lastPage}
                  defaultValue={page}
                />
                of {formatCount(lastPage)}
              </label>
            </form>
          )}
        </div>
      )}
      {pageSize !== undefined && total > DEFAULT_PAGE_SIZE && (
        <Select
          label="Rows per page"
          value={String(pageSize.value)}
          options={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
          onChange={(size) => pageSize.set(Number(size))}
        />
      )}
    </nav>
  );
}

/** If the page's last row is gone, this is already the page before it. */
function existingPage({ page, limit, total, totalIsCapped }: PageFacts): number {
  return totalIsCapped === true ? page : Math.min(page, Math.max(1, Math.ceil(total / limit)));
}
