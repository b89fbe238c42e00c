import { crc32, deflateSync } from "node:zlib";

/** A picture of at most 256 colors: one index into `palette` per pixel, row by row. */
export type Canvas = {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG file (www.w3.org/TR/png-3). `palette` has three bytes for each color. */
export function encodePng({ width, height, pixels }: Canvas, palette: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits per index, palette
  const lines = Buffer.alloc((width + 1) * height); // each begins with its filter: none
  for (let y = 0; y < height; y += 1)
    lines.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(lines, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(typed.byteLength + 8);
  framed.writeUInt32BE(data.byteLength, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.byteLength + 4);
  return framed;
}
