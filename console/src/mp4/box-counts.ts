/** Reads a range of bytes, end exclusive. */
export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

type Box = { readonly type: string; readonly content: DataView };

/** The index of a month of video is smaller. */
const MAX_INDEX_BYTES = 2 ** 29;

/** Samples of one run that have no fields of their own: 20 s of uncompressed sound. */
const MAX_UNIFORM_SAMPLES = 2 ** 20;

/** Valid files exist whose tables differ by some entries; damage multiplies counts. */
const SLACK = 2;

const MAX_DEPTH = 16;

/** A long header and the short one of `mfhd`: together never found in media by chance. */
const FRAGMENT_HEAD_BYTES = 24;

/** The first letter of `moof`. */
const M = 0x6d;

const CONTAINERS = new Set("moov trak mdia minf dinf edts stbl mvex moof traf".split(" "));

/** Tables whose count follows the version and flags, and the bytes of their entries. */
const ENTRY_BYTES = new Map(
  Object.entries({ stts: 8, ctts: 8, stss: 4, stsc: 12, stco: 4, co64: 8 }),
);

/**
 * Compares the counts in the index of an MP4 file, or of a piece of it, with its size, before a
 * demuxer reserves memory for them (ISO/IEC 14496-12 sections 8.6 and 8.7). Ends before the first
 * fragment: `checkFragments` sees them. Other containers pass.
 * @throws {RangeError} if a count can't be right
 */
export async function checkBoxCounts(read: ReadBytes, sizeBytes: number): Promise<void> {
  for (let at = 0; at + 16 <= sizeBytes;) {
    const header = headerAt(viewOf(await read(at, at + 16)), 0);
    if (header.sizeBytes < header.headerBytes || at + header.sizeBytes > sizeBytes) return;
    if (header.type === "moof") return;
    if (header.type === "moov") {
      demand(header.sizeBytes <= MAX_INDEX_BYTES, header.type);
      checkTables(boxesIn(viewOf(await read(at, at + header.sizeBytes)), 0), sizeBytes);
    }
    at += header.sizeBytes;
  }
}

/**
 * Compares the counts of each fragment with its size when a demuxer reads it (section 8.8): to look
 * ahead would cost a request for each. Reads throw a RangeError if a count can't be right.
 */
export function checkFragments(read: ReadBytes, sizeBytes: number): ReadBytes {
  return async (start, end) => {
    const from = Math.max(0, start - (FRAGMENT_HEAD_BYTES - 1));
    const bytes = await read(from, end);
    const view = viewOf(bytes);
    for (let type = bytes.indexOf(M, 4); type >= 0; type = bytes.indexOf(M, type + 1)) {
      const at = type - 4;
      if (at + FRAGMENT_HEAD_BYTES > bytes.length) break;
      const header = headerAt(view, at);
      const first = at + header.headerBytes;
      if (header.type !== "moof" || headerAt(view, first).type !== "mfhd") continue;
      const endsAt = at + header.sizeBytes;
      if (from + endsAt > sizeBytes) continue;
      demand(header.sizeBytes <= MAX_INDEX_BYTES, header.type);
      const isHere = endsAt <= bytes.length;
      const box = isHere ? bytes.subarray(at, endsAt) : await read(from + at, from + endsAt);
      checkTables(boxesIn(viewOf(box), 0), sizeBytes);
    }
    return bytes.subarray(start - from);
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function headerAt(view: DataView, at: number) {
  const type = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
  const shortBytes = view.getUint32(at);
  return shortBytes === 1
    ? { type, headerBytes: 16, sizeBytes: Number(view.getBigUint64(at + 8)) }
    : { type, headerBytes: 8, sizeBytes: shortBytes };
}

/** The boxes that hold no others. */
function* boxesIn(boxes: DataView, depth: number): Generator<Box> {
  demand(depth <= MAX_DEPTH, "depth");
  for (let at = 0; at + 8 <= boxes.byteLength;) {
    const { type, headerBytes, sizeBytes } = headerAt(boxes, at);
    if (sizeBytes < headerBytes) return;
    const contentBytes = Math.min(sizeBytes, boxes.byteLength - at) - headerBytes;
    const content = new DataView(boxes.buffer, boxes.byteOffset + at + headerBytes, contentBytes);
    if (CONTAINERS.has(type)) yield* boxesIn(content, depth + 1);
    else yield { type, content };
    at += sizeBytes;
  }
}

function checkTables(boxes: Iterable<Box>, fileBytes: number): void {
  const total = { samples: 0, chunks: 0, stts: 0, ctts: 0, chunk: 0, inChunk: 0 };
  for (const { type, content } of boxes) {
    const entryBytes = ENTRY_BYTES.get(type);
    if (type === "trun") checkRun(content);
    else if (type === "stsz" || type === "stz2") {
      const count = content.getUint32(8);
      const uniformBytes = type === "stsz" ? content.getUint32(4) : 0;
      // Sizes have 4, 8 or 16 bits in `stz2`.
      const entryBits = type === "stsz" ? 32 : Math.max(4, content.getUint8(7));
      if (uniformBytes > 0) demand(count * uniformBytes <= SLACK * fileBytes, type);
      else demand((count * entryBits) / 8 <= content.byteLength, type);
      total.samples += count;
    } else if (entryBytes !== undefined) {
      const count = content.getUint32(4);
      demand(count * entryBytes <= content.byteLength, type);
      if (type === "stco" || type === "co64") total.chunks += count;
      for (let at = 8; at < 8 + count * entryBytes; at += entryBytes) {
        const first = content.getUint32(at);
        if (type === "stts" || type === "ctts") total[type] += first;
        if (type !== "stsc") continue;
        total.chunk = Math.max(total.chunk, first);
        total.inChunk = Math.max(total.inChunk, content.getUint32(at + 4));
      }
    }
  }
  demand(Math.max(total.stts, total.ctts, total.inChunk) <= SLACK * total.samples, "samples");
  demand(total.chunk <= SLACK * total.chunks, "chunks");
}

function checkRun(run: DataView): void {
  const flags = run.getUint32(0);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((bit) => (flags & bit) !== 0).length;
  const count = run.getUint32(4);
  demand(
    fields === 0 ? count <= MAX_UNIFORM_SAMPLES : count * fields * 4 <= run.byteLength,
    "trun",
  );
}

function demand(isPossible: boolean, what: string): void {
  if (!isPossible) throw new RangeError(`A count is too large: ${what}`);
}
