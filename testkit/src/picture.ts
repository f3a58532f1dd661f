import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A PNG chunk: length, type, data, and a checksum over the last two (PNG section 5.3). */
export function pngChunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

const drawn = new Map<string, Uint8Array>();

/** A real greyscale PNG of one shade. Sides in pixels. */
export function png(width: number, height = width, shade = 0x60): Uint8Array {
  const key = `${width} ${height} ${shade}`;
  const picture = drawn.get(key) ?? draw(width, height, shade);
  drawn.set(key, picture);
  // A copy, because tests modify it.
  return picture.slice();
}

function draw(width: number, height: number, shade: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc((width + 1) * height, shade);
  // Each row begins with its filter; 0 is none.
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND'),
  ]);
}
