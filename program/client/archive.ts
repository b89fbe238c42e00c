import type * as z from "zod/mini";
import type { Part } from "#contract/part.ts";
import type { Quality } from "#contract/quality.ts";
import { previewSource } from "#contract/source-preview.ts";
import type { Upload } from "#contract/upload.ts";
import { type archiveSourceSchema, getUpload, startUpload } from "#contract/uploads.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, RefusedCall, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { print } from "./output.ts";
import { tryEach } from "./try-each.ts";
import { failUnlessCompleted, lineOf, waitFor } from "./uploads.ts";

type Options = {
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly again?: boolean;
  readonly quality?: Quality;
  /** Seconds in the VOD; both or none. */
  readonly from?: number;
  readonly to?: number;
  /** True without a reason: for these archives only. */
  readonly rightsConfirmed?: string | true;
};

/** Safe to repeat: what was archived already is not archived again, but waited for. */
export async function archive(addresses: readonly string[], options: Options): Promise<void> {
  const { rightsConfirmed: reason } = options;
  if (typeof reason === "string" && /^\d+$|:\/\//.test(reason))
    throw new CommandError(EXIT_CODES.usage, `Write ${reason} before --rights-confirmed.`);
  const part = partOf(options);
  const connection = await readConnection();
  const { done, failure } = await tryEach(
    addresses,
    (address) => start(connection, address, part, options),
    (address) => address,
  );
  const ids = done.map(({ id }) => id);
  const shown =
    options.wait === true && ids.length > 0 ? await waitFor(connection, ids, options) : done;
  print(options, shown, () => shown.map(lineOf));
  if (failure !== null) throw failure;
  if (options.wait === true) failUnlessCompleted(shown);
}

async function start(
  connection: Connection,
  address: string,
  part: Part | undefined,
  { again, quality, rightsConfirmed }: Options,
): Promise<Upload> {
  const source = sourceOf(address);
  try {
    return await call(connection, startUpload, {
      body: {
        source,
        again,
        quality,
        part,
        rightsConfirmed: rightsConfirmed !== undefined,
        ...(typeof rightsConfirmed === "string" && { rememberRights: { reason: rightsConfirmed } }),
      },
    });
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    if (error.details["rightsConfirmed"] !== undefined)
      throw new CommandError(
        EXIT_CODES.usage,
        "Its owner has not agreed. If you hold the rights, say so: --rights-confirmed",
      );
    if (error.details["again"] === undefined) throw error;
    const { existingUpload } = await call(connection, previewSource, { body: { source, part } });
    if (existingUpload === null) throw error;
    return await call(connection, getUpload, { params: { id: existingUpload.id } });
  }
}

function partOf({ from, to }: Options): Part | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined || to <= from)
    throw new CommandError(
      EXIT_CODES.usage,
      "A part needs --from and --to, and has to end after it starts.",
    );
  return { startSec: from, endSec: to };
}

function sourceOf(address: string): z.input<typeof archiveSourceSchema> {
  if (/^\d+$/.test(address)) return { type: "twitch", vodId: address };
  const isTwitch = /^(?:https?:\/\/)?(?:[\w-]+\.)*twitch\.tv\//i.test(address);
  return isTwitch ? { type: "twitch", url: address } : { type: "url", url: address };
}
