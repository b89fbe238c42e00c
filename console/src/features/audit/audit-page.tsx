import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, ScrollText, X } from "lucide-react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { Page } from "#console/ui/page.tsx";
import { PermissionGate } from "#console/ui/permission-gate.tsx";
import { Select } from "#console/ui/select.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { SkeletonRows, Table } from "#console/ui/list/table.tsx";
import { ListTools } from "#console/features/views/list-tools.tsx";
import { actionOptions } from "./audit-actions.ts";
import { AuditExport } from "./audit-export.tsx";
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
};

const TITLE = "Audit Log";

/** Time and Details always show. */
const HIDEABLE = { actor: "Who", action: "Action", target: "Target", result: "Result" };

const route = getRouteApi("/audit");

export function AuditPage() {
  return (
    <PermissionGate permission="read:system" title={TITLE}>
      <AuditLog />
    </PermissionGate>
  );
}

function AuditLog() {
  const search = route.useSearch();
  const { change, filter, searchFor, goTo, turn } = useListAddress<AuditSearch>(
    route.useNavigate(),
  );
  const page = search.page ?? 1;
  const filters = {
    search: search.search,
    action: search.action,
    actorId: search.actor,
    result: search.result,
  };
  const audit = useQuery(auditQuery({ page, ...filters }));
  const { data } = audit;
  const check = useChainCheck();
  const isFiltered = Object.values(filters).some((value) => value !== undefined);

  const items = useRowsOfPage(
    page,
    data,
    data?.items,
    goTo,
    audit.isPlaceholderData && !isFiltered,
  );

  return (
    <Page
      title={TITLE}
      subtitle="Every change and every refusal, newest first"
      actions={
        <>
          <StaleMark query={audit} intervalMs={false} />
          <Link to="/system" className={buttonClassName("quiet")}>
            <ArrowLeft aria-hidden="true" />
            System
          </Link>
          <AuditExport filters={filters} total={data?.total ?? 0} />
          <ChainCheckButton check={check} />
        </>
      }
    >
      <ChainCheckResult check={check} />
      <FilterBar
        search={{
          placeholder: "Search by action, target, reason, user or request...",
          value: search.search ?? "",
          onChange: searchFor,
        }}
        refreshing={audit.isFetching}
        onRefresh={() => void audit.refetch()}
        tools={
          <ListTools
            screen="/audit"
            columns={HIDEABLE}
            current={{
              action: search.action,
              actor: search.actor,
              result: search.result,
              search: search.search,
              hide: search.hide,
            }}
            onHide={(hide) => change({ hide }, true)}
          />
        }
      >
        <Select
          label="Action"
          value={search.action ?? "all"}
          options={actionOptions(search.action)}
          onChange={(action) => filter({ action: action === "all" ? undefined : action })}
        />
        <Select
          label="Result"
          value={search.result ?? "all"}
          options={RESULT_OPTIONS}
          onChange={(result) => filter({ result: result === "all" ? undefined : result })}
        />
        {search.actor !== undefined && (
          <Button aria-label="Show what everybody did" onClick={() => filter({ actor: undefined })}>
            By {visibleText(actorName(data?.items, search.actor))}
            <X aria-hidden="true" />
          </Button>
        )}
      </FilterBar>
      <ListCard
        query={audit}
        facts={data}
        isEmpty={items?.length === 0}
        failure={{ title: "Failed to load data" }}
        empty={
          <EmptyList
            icon={<ScrollText />}
            title="No entries found"
            onClear={isFiltered ? () => filter(NO_FILTERS) : undefined}
            firstHint="Whatever an administrator changes is written here."
          />
        }
        noun={["entry", "entries"]}
        hide={search.hide}
        page={page}
        onTurn={turn}
      >
        <Table caption="Audit log" columns={AUDIT_COLUMNS} busy={audit.isPlaceholderData} stacked>
          {items === undefined ? (
            <SkeletonRows rows={DEFAULT_PAGE_SIZE / 2} columns={AUDIT_COLUMNS.length} />
          ) : (
            items.map((entry) => (
              <AuditRow
                key={entry.id}
                entry={entry}
                open={entry.id === search.entry}
                onToggle={() =>
                  change({ entry: entry.id === search.entry ? undefined : entry.id }, true)
                }
                onChooseActor={(actor) => filter({ actor })}
              />
            ))
          )}
        </Table>
      </ListCard>
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
