/**
 * The kind of a downloaded unit: a TS segment, an init section, a fragment, or a range of a file,
 * which can hold anything. EXT-X-MAP decides, not the file extension or the codec
 * (docs/twitch.md#segments).
 */
export type UnitKind = "ts" | "fmp4-init" | "fmp4-fragment" | "bytes";

const TS_PACKET_BYTES = 188;
const TS_SYNC_BYTE = 0x47;

/**
 * Checks that these bytes are a whole unit of this kind; returns null or a description of a fault.
 * Detects truncated and foreign bodies, but not damage inside the payload of a packet or box.
 */
export function checkUnitBytes(kind: UnitKind, bytes: Uint8Array): string | null {
  if (bytes.byteLength === 0) return "it is empty";
  if (kind === "bytes") return null;
  if (isText(bytes)) return "it is a page of text instead of media";
  return kind === "ts" ? checkTransportStream(bytes) : checkBoxes(kind, bytes);
}

/**
 * Whether these bytes may be damaged MPEG-TS: a whole number of packets, and not text. Sources do
 * have such segments, and a faithful copy keeps them.
 */
export function isWholePackets(bytes: Uint8Array): boolean {
  return bytes.byteLength > 0 && bytes.byteLength % TS_PACKET_BYTES === 0 && !isText(bytes);
}

/** Detects error pages sent with status 200: HTML, XML, JSON or a playlist. */
export function isText(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64));
  return /^(?:\u00EF\u00BB\u00BF)?\s*(?:<[!?a-z]|\{\s*"|\[\s*[{\]]|#EXTM3U)/i.test(head);
}

/** ISO/IEC 13818-1 section 2.4.3.2: packets of 188 bytes that each begin with 0x47. */
function checkTransportStream(bytes: Uint8Array): string | null {
  if (bytes[0] !== TS_SYNC_BYTE)
    return hasBoxType(bytes)
      ? "it is fragmented MP4 where MPEG-TS was due"
      : "it does not begin with the MPEG-TS sync byte";
  if (bytes.byteLength % TS_PACKET_BYTES !== 0)
    return `its ${bytes.byteLength} bytes are no whole number of MPEG-TS packets`;
  for (let at = TS_PACKET_BYTES; at < bytes.byteLength; at += TS_PACKET_BYTES) {
    if (bytes[at] !== TS_SYNC_BYTE) return `the MPEG-TS packet at byte ${at} has no sync byte`;
  }
  return null;
}

/** Box types that Twitch's units and the standard's fragments begin with. */
const FIRST_BOXES = new Set(["ftyp", "styp", "sidx", "emsg", "moof", "prft", "free", "skip"]);

function hasBoxType(bytes: Uint8Array): boolean {
  return FIRST_BOXES.has(boxType(bytes, 0));
}

/** ISO/IEC 14496-12 section 4.2: the top-level boxes must fill the unit exactly. */
function checkBoxes(kind: "fmp4-init" | "fmp4-fragment", bytes: Uint8Array): string | null {
  if (!hasBoxType(bytes))
    return bytes[0] === TS_SYNC_BYTE && bytes.byteLength % TS_PACKET_BYTES === 0
      ? "it is MPEG-TS where fragmented MP4 was due"
      : "it does not begin with a box of fragmented MP4";
  const types: string[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const sizeBytes = boxSize(bytes, at);
    if (sizeBytes === null) return `the box at byte ${at} has an impossible size`;
    if (at + sizeBytes > bytes.byteLength)
      return `it breaks off ${at + sizeBytes - bytes.byteLength} bytes before its last box ends`;
    types.push(boxType(bytes, at));
    at += sizeBytes;
  }
  return kind === "fmp4-init" ? checkInit(types) : checkFragment(types);
}

function checkInit(types: readonly string[]): string | null {
  if (types[0] !== "ftyp") return "it does not begin with a file type box";
  return types.includes("moov") ? null : "it has no movie box";
}

function checkFragment(types: readonly string[]): string | null {
  const moof = types.indexOf("moof");
  if (moof < 0) return "it has no movie fragment box";
  return types.indexOf("mdat", moof) < 0 ? "it has no media data box" : null;
}

function boxType(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at + 4, at + 8));
}

/** Null if the header is truncated or states a size smaller than itself or unsafe as a number. */
function boxSize(bytes: Uint8Array, at: number): number | null {
  const leftBytes = bytes.byteLength - at;
  if (leftBytes < 8) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, leftBytes);
  const shortSize = view.getUint32(0);
  if (shortSize === 0) return leftBytes;
  if (shortSize !== 1) return shortSize < 8 ? null : shortSize;
  if (leftBytes < 16) return null;
  const longSize = view.getBigUint64(8);
  return longSize < 16n || longSize > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(longSize);
}
