import { setTimeout as pause } from "node:timers/promises";
import type { TwitchUserId } from "#contract/ids.ts";
import {
  addChannels,
  getChannel,
  listChannels,
  readChannelDefaults,
  type Channel,
} from "#contract/channels.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { listUploads } from "#contract/uploads.ts";
import { CommandError, EXIT_CODES, type ExitCode } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { openProgress, print, sayAtInterrupt, table } from "./output.ts";
import { tryEach } from "./try-each.ts";

/** Lists of VODs are read and archives started once a minute. */
const POLL_MS = 2_000;
const PAGE_SIZE = 100;

type Options = {
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly backDays?: number | "all";
  readonly rightsConfirmed?: string;
};

export async function showChannels(options: Options): Promise<void> {
  const connection = await readConnection();
  const channels: Channel[] = [];
  for (let page = 1; ; page += 1) {
    const found = await call(connection, listChannels, {
      query: { page: String(page), limit: String(PAGE_SIZE) },
    });
    channels.push(...found.items);
    if (!found.hasNext) break;
  }
  print(options, channels, () => (channels.length === 0 ? ["No channels."] : tableOf(channels)));
}

function tableOf(channels: readonly Channel[]): string[] {
  return table(
    ["CHANNEL", "STORED", "WAITING", "FAILED", "LOST", "SIZE", "NOTE"],
    channels.map(({ login, vods, archived, trouble, basis, pausedAt }) => [
      login,
      String(vods.stored),
      String(vods.waiting),
      String(vods.failed),
      String(vods.lost),
      formatBytes(archived.sizeBytes),
      trouble ?? (basis === null ? "waits for consent" : pausedAt === null ? "" : "paused"),
    ]),
  );
}

/** How a channel that was not added ends the command. */
const CODES: Readonly<Record<string, ExitCode>> = {
  unknown: EXIT_CODES.notFound,
  invalid: EXIT_CODES.usage,
};

/** Safe to repeat. With `wait`, ends when what the channels' rules want is stored. */
export async function add(names: readonly string[], options: Options): Promise<void> {
  const connection = await readConnection();
  const { rightsConfirmed: reason, backDays } = options;
  const { results } = await call(connection, addChannels, {
    body: {
      names: [...names],
      ...(reason !== undefined && { confirmation: { reason } }),
      ...(backDays !== undefined && {
        changes: { backDays: backDays === "all" ? null : backDays },
      }),
    },
  });
  const { done, failure } = await tryEach(
    results,
    async ({ name, result, error, channel, hasBasis }) => {
      if (channel === undefined)
        throw new CommandError(CODES[result] ?? EXIT_CODES.failed, `${name}: ${error ?? result}`);
      if (options.wait === true && hasBasis === false)
        throw new CommandError(
          EXIT_CODES.failed,
          `${name}: its owner has not agreed. If you hold the rights, say why: --rights-confirmed "…"`,
        );
      return { name, result, hasBasis, ...channel };
    },
  );
  if (options.wait === true) {
    const channels = await untilStored(
      connection,
      done.map(({ id }) => id),
      options,
    );
    print(options, channels, () => tableOf(channels));
    if (failure === null && channels.some(({ vods }) => vods.failed > 0))
      throw new CommandError(
        EXIT_CODES.partly,
        "Some VODs failed, the others are stored. See: vodkeep ls --status failed",
      );
  } else
    print(options, done, () =>
      done.map(
        ({ result, hasBasis, displayName }) =>
          `${displayName}: ${result === "added" ? "added" : "was added before, keeps its rule"}` +
          (hasBasis === false ? "; waits until its owner agrees or the rights are confirmed" : ""),
      ),
    );
  if (failure !== null) throw failure;
}

async function untilStored(
  connection: Connection,
  ids: readonly TwitchUserId[],
  options: Options,
): Promise<Channel[]> {
  const { pausedAt } = await call(connection, readChannelDefaults);
  using _interrupt = sayAtInterrupt("The service goes on without this command.");
  const progress = await openProgress(options);
  try {
    for (;;) {
      const channels: Channel[] = [];
      for (const id of ids) channels.push(await call(connection, getChannel, { params: { id } }));
      const paused = channels.find((each) => (each.pausedAt ?? pausedAt) !== null);
      if (paused !== undefined)
        throw new CommandError(EXIT_CODES.failed, `The rule of ${paused.login} is paused.`);
      const lines = channels.map(({ login, checkedAt, vods }) =>
        checkedAt === null
          ? `${login}: waits for its list`
          : `${login}: ${vods.stored} stored, ${vods.waiting} waiting, ${vods.failed} failed`,
      );
      progress.show(lines, lines.join("; "));
      const isDone = channels.every(
        ({ checkedAt, vods }) => checkedAt !== null && vods.waiting === 0,
      );
      if (isDone) return channels;
      await pause(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

/** The user id of a channel by its id or login, if it is followed or has uploads. */
export async function channelIdOf(connection: Connection, name: string): Promise<string> {
  if (/^\d+$/.test(name)) return name;
  const login = name.toLowerCase();
  const query = { search: login, limit: String(PAGE_SIZE) };
  const channels = await call(connection, listChannels, { query });
  const followed = channels.items.find((each) => each.login === login);
  if (followed !== undefined) return followed.id;
  const uploads = await call(connection, listUploads, { query });
  const owner = uploads.items.find((each) => each.owner?.username.toLowerCase() === login)?.owner;
  if (owner) return owner.userId;
  throw new CommandError(EXIT_CODES.notFound, `There is no channel ${name}.`);
}
