/** A frame of HEVC (ITU-T H.265, Annex B) of 64 by 64 pixels: red on the left, blue on the right. */
const FRAME = Buffer.from(
  'AAAAAUABDAH//wQIAAADAJ+oAAADAAAeugJAAAAAAUIBAQQIAAADAJ+oAAADAAAeoCCBBZbqSTK8BaAgAAADACAAAAMDIQAAAAFEAcFxgRIAAAEoAa9YCJcJR/94I/7gYF1U3X/lXqvZPp/Qju+r4A==',
  'base64',
);
const SIDE = 64;

const u8 = (...values: number[]) => Buffer.from(values);
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8(value >> 8, value & 255)));
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)));
const text = (value: string) => Buffer.from(`${value}\0`);
const box = (type: string, ...parts: Uint8Array[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
};
const fullBox = (type: string, version: number, ...parts: Uint8Array[]) =>
  box(type, u8(version, 0, 0, 0), ...parts);

/** The units of the frame, and their type. */
const units = FRAME.toString('latin1')
  .split('\0\0\x01')
  .map((unit) => unit.replace(/\0$/, ''))
  .filter((unit) => unit !== '')
  .map((unit) => Buffer.from(unit, 'latin1'));
const typeOf = (unit: Buffer) => ((unit[0] ?? 0) >> 1) & 0x3f;
const sized = (unit: Buffer) => Buffer.concat([u32(unit.length), unit]);

/** The decoder configuration (ISO/IEC 14496-15, 8.3.3): profile and level are copied from the parameters of the sequence. */
function configuration(): Buffer {
  const parameters = units.filter((unit) => typeOf(unit) >= 32);
  const sequence = parameters.find((unit) => typeOf(unit) === 33) ?? Buffer.alloc(20);
  const plain = Buffer.from(sequence.toString('latin1').replaceAll('\0\0\x03', '\0\0'), 'latin1');
  const arrays = parameters.map((unit) =>
    Buffer.concat([u8(0x80 | typeOf(unit)), u16(1, unit.length), unit]),
  );
  return box(
    'hvcC',
    ...[u8(1), plain.subarray(3, 15), u16(0xf000), u8(0xfc, 0xfd, 0xf8, 0xf8), u16(0), u8(0x0f)],
    ...[u8(arrays.length), ...arrays],
  );
}

/**
 * A HEIC photo as iPhones write it (ISO/IEC 23008-12): tiles in a grid, and a rotation.
 * @param columns number of tiles in a row
 * @param rows number of rows
 * @param quarters how often it is turned to the left
 */
export function heic({ columns = 2, rows = 1, quarters = 0 } = {}): Buffer {
  const tiles = Array.from({ length: columns * rows }, (_, at) => at + 2);
  const frame = Buffer.concat(units.filter((unit) => typeOf(unit) < 32).map(sized));
  const grid = Buffer.concat([u8(0, 0, rows - 1, columns - 1), u16(columns * SIDE, rows * SIDE)]);
  const infe = (id: number, type: string) =>
    fullBox('infe', 2, u16(id, 0), Buffer.from(type, 'latin1'), text(''));
  const properties = box(
    'ipco',
    configuration(),
    ...[
      [SIDE, SIDE],
      [columns * SIDE, rows * SIDE],
    ].map((size) => fullBox('ispe', 0, u32(...size))),
    box('irot', u8(quarters)),
  );
  const uses = [u16(1), u8(2, 3, 0x84), ...tiles.flatMap((id) => [u16(id), u8(2, 0x81, 2)])];
  const metaAt = (start: number) =>
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), Buffer.from('pict'), u32(0, 0, 0), text('')),
      fullBox('pitm', 0, u16(1)),
      fullBox('iinf', 0, u16(tiles.length + 1), infe(1, 'grid'), ...tiles.map((id) => infe(id, 'hvc1'))),
      fullBox('iref', 0, box('dimg', u16(1, tiles.length, ...tiles))),
      box('iprp', properties, fullBox('ipma', 0, u32(tiles.length + 1), ...uses)),
      fullBox(
        'iloc',
        0,
        ...[u8(0x44, 0), u16(tiles.length + 1)],
        ...[u16(1, 0, 1), u32(start, grid.length)],
        ...tiles.flatMap((id) => [u16(id, 0, 1), u32(start + grid.length, frame.length)]),
      ),
    );
  const kind = box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic'));
  const start = kind.length + metaAt(0).length + 8;
  return Buffer.concat([kind, metaAt(start), box('mdat', grid, frame)]);
}
