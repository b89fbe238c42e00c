import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, RefreshCw, ScrollText, X } from "lucide-react";
import { useCallback, useEffect } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName, IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { SkeletonRows, Table } from "#console/ui/table.tsx";
import { Toolbar } from "#console/ui/toolbar.tsx";
import { actionOptions } from "./audit-actions.ts";
import { auditQuery } from "./audit-queries.ts";
import { AUDIT_COLUMNS, AuditRow } from "./audit-row.tsx";
import type { AuditResult, AuditSearch } from "./audit-search.ts";
import { ChainCheckButton, ChainCheckResult, useChainCheck } from "./chain-check.tsx";

const RESULT_OPTIONS: readonly { value: AuditResult | "all"; label: string }[] = [
  { value: "all", label: "All Results" },
  { value: "done", label: "Done" },
  { value: "refused", label: "Refused" },
];

const NO_FILTERS: AuditSearch = {
  search: undefined,
  action: undefined,
  actor: undefined,
  result: undefined,
  page: undefined,
};

const route = getRouteApi("/audit");

export function AuditPage() {
  return useCan("read:system") ? (
    <AuditLog />
  ) : (
    <Page title="Audit Log">
      <ForbiddenState permission="read:system" />
    </Page>
  );
}

function AuditLog() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: Partial<AuditSearch>, replace = false) => {
      void navigate({
        search: (before) => ({ ...before, ...next }),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const changeSearch = useCallback(
    (text: string) => change({ search: text || undefined, page: undefined }, true),
    [change],
  );
  const page = search.page ?? 1;
  const view = {
    page,
    search: search.search,
    action: search.action,
    actorId: search.actor,
    result: search.result,
  };
  const audit = useQuery(auditQuery(view));
  const { data } = audit;
  const check = useChainCheck();
  const isFiltered = [view.search, view.action, view.actorId, view.result].some(
    (value) => value !== undefined,
  );

  const lastPage = data === undefined ? page : Math.max(1, Math.ceil(data.total / data.limit));
  const isBeyond = data !== undefined && data.items.length === 0 && page > lastPage;
  useEffect(() => {
    if (isBeyond) change({ page: lastPage === 1 ? undefined : lastPage }, true);
  }, [isBeyond, lastPage, change]);

  return (
    <Page
      title="Audit Log"
      subtitle="Every change and every refusal, newest first"
      actions={
        <>
          <Link to="/system" className={buttonClassName("quiet")}>
            <ArrowLeft aria-hidden="true" />
            System
          </Link>
          <ChainCheckButton check={check} />
        </>
      }
    >
      <ChainCheckResult check={check} />
      <Toolbar>
        <SearchField
          placeholder="Search by action, target, reason, user or request..."
          value={search.search ?? ""}
          onChange={changeSearch}
        />
        <Select
          label="Action"
          value={search.action ?? "all"}
          options={actionOptions(search.action)}
          onChange={(action) =>
            change({ action: action === "all" ? undefined : action, page: undefined })
          }
        />
        <Select
          label="Result"
          value={search.result ?? "all"}
          options={RESULT_OPTIONS}
          onChange={(result) =>
            change({ result: result === "all" ? undefined : result, page: undefined })
          }
        />
        {search.actor !== undefined && (
          <Button
            aria-label="Show what everybody did"
            onClick={() => change({ actor: undefined, page: undefined })}
          >
            By {visibleText(actorName(data?.items, search.actor))}
            <X aria-hidden="true" />
          </Button>
        )}
        <IconButton
          kind="secondary"
          label="Refresh"
          aria-keyshortcuts="r"
          data-shortcut="refresh"
          busy={audit.isFetching}
          onClick={() => void audit.refetch()}
        >
          <RefreshCw />
        </IconButton>
      </Toolbar>
      <Card flush>
        {audit.isError && data === undefined ? (
          <ErrorState
            title="Failed to load data"
            message={messageOf(audit.error)}
            retrying={audit.isFetching}
            onRetry={() => void audit.refetch()}
          />
        ) : data?.items.length === 0 ? (
          <EmptyState
            icon={<ScrollText />}
            title="No entries found"
            hint={
              isFiltered
                ? "Try adjusting your search or filter"
                : "Whatever an administrator changes is written here."
            }
            action={isFiltered && <Button onClick={() => change(NO_FILTERS)}>Clear filters</Button>}
          />
        ) : (
          <>
            <Table
              caption="Audit log"
              columns={AUDIT_COLUMNS}
              busy={audit.isPlaceholderData}
              stacked
            >
              {data === undefined ? (
                <SkeletonRows rows={DEFAULT_PAGE_SIZE / 2} columns={AUDIT_COLUMNS.length} />
              ) : (
                data.items.map((entry) => (
                  <AuditRow
                    key={entry.id}
                    entry={entry}
                    open={entry.id === search.entry}
                    onToggle={() =>
                      change({ entry: entry.id === search.entry ? undefined : entry.id }, true)
                    }
                    onChooseActor={(actor) => change({ actor, page: undefined })}
                  />
                ))
              )}
            </Table>
            {data !== undefined && (
              <Pagination
                facts={data}
                noun="entries"
                onPage={(next) => change({ page: next === 1 ? undefined : next })}
              />
            )}
          </>
        )}
      </Card>
    </Page>
  );
}

function actorName(
  items: readonly { readonly actor: { userId: string; displayName: string } | null }[] | undefined,
  actorId: string,
): string {
  const entry = items?.find(({ actor }) => actor?.userId === actorId);
  return entry?.actor?.displayName ?? actorId;
}
