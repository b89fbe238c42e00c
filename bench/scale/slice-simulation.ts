/**
 * Archives that share a number of places, slice by slice, as the sweeper deals them out. A place
 * that becomes free takes the next upload by the order in question; an upload whose slice has ended
 * waits with the others.
 */
export type Order = "oldest first" | "channels in turns";

export type Submission = { readonly atSec: number; readonly channel: string };

export type Served = Submission & {
  readonly startedSec: number;
  readonly endedSec: number;
};

export type Places = { readonly count: number; readonly sliceSec: number; readonly slices: number };

type Job = Submission & {
  readonly number: number;
  slicesLeft: number;
  startedSec: number;
  state: "waiting" | "running" | "done";
};

/** As service/archiver/upload-lease.ts counts a channel's turns. */
const TURNS_SEC = 86_400;

export function simulate(
  submissions: readonly Submission[],
  order: Order,
  places: Places,
): readonly Served[] {
  const coming = [...submissions]
    .sort((one, other) => one.atSec - other.atSec)
    .map((submission, number): Job => ({
      ...submission,
      number,
      slicesLeft: places.slices,
      startedSec: Number.NaN,
      state: "waiting",
    }));
  /** Each channel's uploads that count as turns, oldest first. */
  const channels = new Map<string, Job[]>();
  const running: { readonly job: Job; readonly endsSec: number }[] = [];
  const served: Served[] = [];
  let arrived = 0;
  let nowSec = 0;

  function admit(): void {
    for (
      let job = coming[arrived];
      job !== undefined && job.atSec <= nowSec;
      job = coming[arrived]
    ) {
      const jobs = channels.get(job.channel);
      if (jobs === undefined) channels.set(job.channel, [job]);
      else jobs.push(job);
      arrived += 1;
    }
  }

  function next(): Job | undefined {
    let best: { readonly job: Job; readonly turn: number } | undefined;
    for (const [channel, counted] of channels) {
      const jobs = counted.filter(
        ({ state, atSec }) => state !== "done" || atSec > nowSec - TURNS_SEC,
      );
      if (jobs.length < counted.length) channels.set(channel, jobs);
      const index = jobs.findIndex(({ state }) => state === "waiting");
      const job = jobs[index];
      if (job === undefined) continue;
      const turn = order === "channels in turns" ? index : 0;
      if (
        best === undefined ||
        turn < best.turn ||
        (turn === best.turn && job.number < best.job.number)
      )
        best = { job, turn };
    }
    return best?.job;
  }

  function fillPlaces(): void {
    while (running.length < places.count) {
      const job = next();
      if (job === undefined) return;
      job.state = "running";
      if (Number.isNaN(job.startedSec)) job.startedSec = nowSec;
      running.push({ job, endsSec: nowSec + places.sliceSec });
    }
  }

  function endSlices(): void {
    for (let at = running.length - 1; at >= 0; at -= 1) {
      const { job, endsSec } = running[at] ?? { endsSec: Infinity };
      if (job === undefined || endsSec > nowSec) continue;
      running.splice(at, 1);
      job.slicesLeft -= 1;
      job.state = job.slicesLeft > 0 ? "waiting" : "done";
      if (job.state === "waiting") continue;
      served.push({ ...job, endedSec: nowSec });
    }
  }

  while (served.length < coming.length) {
    const arrivalSec = coming[arrived]?.atSec ?? Infinity;
    nowSec = Math.min(arrivalSec, ...running.map(({ endsSec }) => endsSec));
    endSlices();
    admit();
    fillPlaces();
  }
  return served;
}
