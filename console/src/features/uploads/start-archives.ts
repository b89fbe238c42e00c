import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { BodyOf } from "#contract/call.ts";
import { startUpload } from "#contract/uploads.ts";
import { applyUpload, useRefreshUploads } from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startBulkRun } from "#console/lib/bulk-run.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatPlural } from "#console/lib/format.ts";

export type Start = BodyOf<typeof startUpload>;

/** What became of the video of a line: {@link STARTED}, or why not. */
export type Outcomes = ReadonlyMap<string, string>;

export const STARTED = "Archive started";

/** Each start looks the VOD up at Twitch once more. */
const STARTS_AT_ONCE = 2;

/** Starts one archive, or several as a bulk run, which goes on when the dialog closes. */
export function useStartArchives() {
  const queryClient = useQueryClient();
  const refresh = useRefreshUploads();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  async function start(body: Start): Promise<void> {
    applyUpload(queryClient, await call(startUpload, { body }));
  }
  async function tryStart(line: string, body: Start | undefined): Promise<string> {
    let outcome = STARTED;
    try {
      if (body !== undefined) await start(body);
    } catch (error) {
      outcome = messageOf(error);
    }
    setOutcomes((before) => new Map(before).set(line, outcome));
    return outcome;
  }
  const one = useMutation({ mutationFn: start, onSettled: refresh });
  const many = useMutation({
    mutationFn: async (bodies: ReadonlyMap<string, Start>) => {
      await startBulkRun({
        verb: "Starting archives",
        ids: [...bodies.keys()],
        batchSize: 1,
        atOnce: STARTS_AT_ONCE,
        async work([line = ""]) {
          const outcome = await tryStart(line, bodies.get(line));
          return new Map(outcome === STARTED ? [] : [[line, outcome]]);
        },
        reportTitle: (count) => `${formatPlural(count, "archive")} could not be started`,
        nameOf: (line) => line,
      });
      // The open dialog shows the reasons itself.
      if (isOpen.current) bulkState.setState((state) => ({ ...state, report: null }));
    },
    onSettled: refresh,
  });
  function reset() {
    setOutcomes(new Map());
    many.reset();
  }
  return { one, many, outcomes, reset };
}

export function countStarted(outcomes: Outcomes): number {
  return [...outcomes.values()].filter((outcome) => outcome === STARTED).length;
}
