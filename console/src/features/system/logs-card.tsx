import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pause, Play, RefreshCw } from "lucide-react";
import { useState } from "react";
import { LOG_LEVELS, type LogLevel } from "#contract/values.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useListAddress } from "#console/lib/use-list.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { LEVELS, LogRow } from "./log-row.tsx";
import { LOGS_POLL_MS, logsQuery } from "./system-queries.ts";
import type { SystemSearch } from "./system-search.ts";
import styles from "./system.module.css";

const DEFAULT_LEVEL: LogLevel = "error";

const LEVEL_OPTIONS = LOG_LEVELS.map((level) => ({ value: level, label: LEVELS[level].label }));

const route = getRouteApi("/system");

export function LogsCard() {
  const search = route.useSearch();
  const { change } = useListAddress<SystemSearch>(route.useNavigate());
  const changeSearch = (text: string) => change({ search: text || undefined }, true);
  const level = search.level ?? DEFAULT_LEVEL;
  const [paused, setPaused] = useState(false);
  const logs = useInfiniteQuery(logsQuery(level, search.search, paused));
  const pollMs = paused ? false : LOGS_POLL_MS;
  usePolling(logs, pollMs);
  const entries = logs.data?.pages.flatMap((page) => page.logs);
  return (
    <Card
      flush
      title="System Logs"
      actions={
        <div className={classNames("wrap end", styles.tools)}>
          <StaleMark query={logs} intervalMs={pollMs} />
          <SearchField
            placeholder="Search logs by message or metadata..."
            value={search.search ?? ""}
            onChange={changeSearch}
          />
          <Select
            label="Level"
            value={level}
            options={LEVEL_OPTIONS}
            onChange={(chosen) =>
              change({ level: chosen === DEFAULT_LEVEL ? undefined : chosen }, true)
            }
          />
          <IconButton
            kind="secondary"
            label={paused ? "Resume updates" : "Pause updates"}
            aria-pressed={paused}
            onClick={() => setPaused(!paused)}
          >
            {paused ? <Play /> : <Pause />}
          </IconButton>
          <IconButton
            kind="secondary"
            label="Refresh"
            aria-keyshortcuts="r"
            data-shortcut="refresh"
            onClick={() => void logs.refetch()}
          >
            <RefreshCw />
          </IconButton>
        </div>
      }
    >
      {entries === undefined ? (
        logs.isError ? (
          <ErrorState
            title="Failed to load data"
            message={messageOf(logs.error)}
            retrying={logs.isFetching}
            onRetry={() => void logs.refetch()}
          />
        ) : (
          <div aria-busy="true" className={styles.pending}>
            <SkeletonFacts rows={12} />
          </div>
        )
      ) : entries.length === 0 ? (
        <EmptyState
          title={`No ${LEVELS[level].label.toLowerCase()} logs found`}
          hint={search.search !== undefined && "Try adjusting your search"}
          action={
            search.search !== undefined && (
              <Button onClick={() => changeSearch("")}>Clear search</Button>
            )
          }
        />
      ) : (
        <>
          {/* A scrolling region must be reachable by keyboard. */}
          <section
            className={styles.logs}
            aria-label={`${LEVELS[level].label} logs, newest first`}
            tabIndex={0}
          >
            <ol className="ruled small">
              {entries.map((entry) => (
                <LogRow key={entry.id} entry={entry} />
              ))}
            </ol>
          </section>
          <div className={classNames("between small soft", styles.more)}>
            <span>{formatPlural(entries.length, "entry", "entries")}, newest first</span>
            {logs.hasNextPage && (
              <Button busy={logs.isFetchingNextPage} onClick={() => void logs.fetchNextPage()}>
                Load older
              </Button>
            )}
          </div>
        </>
      )}
    </Card>
  );
}
