import { startChild } from "../rigs/child.ts";
import { killableNodeHost } from "../rigs/killable-node.ts";
import { openRigHost } from "../rigs/rig-host.ts";
import { DIRECTUS_NAME, DIRECTUS_TOKEN, installDirectus, startDirectus } from "./directus.ts";
import { quantile } from "./quantile.ts";
import { BENCH_TOKEN } from "./seeded-folder.ts";
import { FIRST_SEEDED_VOD_ID } from "../../scripts/seed-rows.ts";

/** As many clients at once as in docs/targets.md. */
const CLIENTS = 8;
const SECONDS_A_SHAPE = 5;

export type ShapeFigures = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSec: number;
};

export type PeerFigures = Readonly<
  Record<string, { readonly vodkeep: ShapeFigures; readonly directus: ShapeFigures }>
>;

/**
 * The same questions to both over HTTP, with the total in the same answer, one server at a time:
 * the first page, one status, a rare piece of text, and page 5,000.
 */
function shapes(size: number): Readonly<Record<string, { vodkeep: string; directus: string }>> {
  const page = Math.min(5_000, Math.floor(size / 20));
  const rare = `${FIRST_SEEDED_VOD_ID + Math.floor(size / 3)}`.slice(0, -2);
  const fields = "id,vod_id,filename,title,owner_id,status,source_bytes,created_at,completed_at";
  const directus = (query: string) =>
    `/items/uploads?fields=${fields}&limit=20&sort=-seq&meta=filter_count${query}`;
  return {
    "first page": { vodkeep: "/admin/uploads?page=1", directus: directus("") },
    "one status": {
      vodkeep: "/admin/uploads?status=failed",
      directus: directus("&filter[status][_eq]=failed"),
    },
    "a rare text": {
      vodkeep: `/admin/uploads?search=${rare}`,
      directus: directus(`&filter[filename][_icontains]=${rare}`),
    },
    [`page ${page}`]: {
      vodkeep: `/admin/uploads?page=${page}`,
      directus: directus(`&page=${page}`),
    },
  };
}

/** Null where Directus cannot be had. */
export async function measurePeers(folder: string, size: number): Promise<PeerFigures | null> {
  if (!installDirectus()) return null;
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  const rig = await openRigHost(killableNodeHost(folder), twitch);
  const figures: Record<string, { vodkeep: ShapeFigures; directus: ShapeFigures }> = {};
  const own: Record<string, ShapeFigures> = {};
  try {
    const host = await rig.startHost();
    for (const [name, { vodkeep }] of Object.entries(shapes(size)))
      own[name] = await load(rig.publicUrl + vodkeep, BENCH_TOKEN);
    await host.stop();
    // The port is free again, and nothing else of ours uses the processor.
    const directus = await startDirectus(folder, Number(new URL(rig.publicUrl).port));
    for (const [name, shape] of Object.entries(shapes(size))) {
      const theirs = await load(directus.address + shape.directus, DIRECTUS_TOKEN);
      const ours = own[name];
      if (ours !== undefined) figures[name] = { vodkeep: ours, directus: theirs };
    }
    await directus.stop();
    return figures;
  } finally {
    await twitch.stop();
  }
}

export function describePeers(figures: PeerFigures): string {
  return Object.entries(figures)
    .map(
      ([name, { vodkeep, directus }]) =>
        `${name.padEnd(14)} Vodkeep ${describeShape(vodkeep)}   ${DIRECTUS_NAME} ${describeShape(directus)}`,
    )
    .join("\n");
}

function describeShape({ p50Ms, p99Ms, perSec }: ShapeFigures): string {
  return `${p50Ms.toFixed(1).padStart(8)} /${p99Ms.toFixed(1).padStart(8)} ms ${perSec.toFixed(0).padStart(6)}/s`;
}

/** Each client asks again as soon as it has an answer. */
async function load(url: string, token: string): Promise<ShapeFigures> {
  const headers = { authorization: `Bearer ${token}` };
  const times: number[] = [];
  const untilMs = performance.now() + SECONDS_A_SHAPE * 1_000;
  async function client(): Promise<void> {
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      times.push(performance.now() - startedMs);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  times.sort((left, right) => left - right);
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    perSec: times.length / SECONDS_A_SHAPE,
  };
}
