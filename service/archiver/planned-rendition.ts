import { renditionLabel } from "#service/source/rendition-choice.ts";
import { OutdatedAddress, SourceError } from "#service/source/source-error.ts";
import type { Rendition, SourceContent } from "#service/source/source.ts";
import { ArchiveFailed, StartOver } from "#service/storage/run-end.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRun } from "./archive-run.ts";

/**
 * The present content of the planned rendition. `offered` is what the source offers now.
 *
 * A source may remove one rendition and keep others: then the media host has no playlist of it, but
 * one of another. That is noted in `planned`. What was copied is kept; if nothing was, the copy starts
 * over with another rendition.
 * @throws {ArchiveFailed} `gone_at_source`, or {@link StartOver}, when the rendition was removed
 * @throws {SourceError}
 */
export async function listPlanned(
  { source, signal, progress }: ArchiveRun,
  planned: ArchiveManifest["rendition"],
  offered: readonly Rendition[],
): Promise<SourceContent> {
  try {
    return await source.list(planned, signal);
  } catch (error) {
    if (!(error instanceof OutdatedAddress)) throw error;
    for (const other of offered) {
      if (other.name === planned.name || !(await isListed(other))) continue;
      planned.isRemoved = true;
      const what = renditionLabel(planned) ?? planned.name;
      if (progress.state.segmentsDone === 0)
        throw new StartOver(`${source.name} no longer has ${what}`);
      throw new ArchiveFailed("gone_at_source", `${source.name} no longer has ${what}.`, {
        cause: error,
      });
    }
    throw error;
  }

  async function isListed(rendition: Rendition): Promise<boolean> {
    try {
      await source.list(rendition, signal);
      return true;
    } catch (error) {
      if (error instanceof SourceError) return false;
      throw error;
    }
  }
}
