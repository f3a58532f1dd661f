import fc from 'fast-check';

/** One change to bytes, at an offset modulo their length. */
type Edit =
  | { readonly kind: 'flip'; readonly at: number; readonly bits: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'copy'; readonly at: number; readonly length: number; readonly to: number };

const place = fc.nat(2 ** 20);
const length = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 16 }) }, fc.nat(4_000));

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Changes to bytes: flip, insert (including `tokens`), cut, copy. */
function edit(tokens: readonly (string | Uint8Array)[]): fc.Arbitrary<Edit> {
  const token = fc
    .constantFrom(...tokens)
    .map((value) => (typeof value === 'string' ? encode(value) : value));
  return fc.oneof(
    fc.record({ kind: fc.constant('flip'), at: place, bits: fc.integer({ min: 1, max: 255 }) }),
    fc.record({
      kind: fc.constant('insert'),
      at: place,
      bytes: fc.oneof(token, fc.uint8Array({ maxLength: 8 })),
    }),
    fc.record({ kind: fc.constant('cut'), at: place, length }),
    fc.record({ kind: fc.constant('copy'), at: place, length, to: place }),
  );
}

/** One of the originals with up to `maxEdits` changes. */
export function edited(
  originals: readonly Uint8Array[],
  tokens: readonly (string | Uint8Array)[],
  maxEdits = 6,
): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.constantFrom(...originals), fc.array(edit(tokens), { maxLength: maxEdits }))
    .map(([original, edits]) => edits.reduce(applied, original));
}

function applied(bytes: Uint8Array, change: Edit): Uint8Array {
  const at = change.at % (bytes.length + 1);
  switch (change.kind) {
    case 'flip':
      return bytes.map((byte, index) => (index === at ? byte ^ change.bits : byte));
    case 'insert':
      return joined(bytes.subarray(0, at), change.bytes, bytes.subarray(at));
    case 'cut':
      return joined(bytes.subarray(0, at), bytes.subarray(at + change.length));
    case 'copy': {
      const to = change.to % (bytes.length + 1);
      return joined(bytes.subarray(0, to), bytes.subarray(at, at + change.length), bytes.subarray(to));
    }
  }
}

/** Concatenates bytes into a plain Uint8Array, not a Buffer. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
