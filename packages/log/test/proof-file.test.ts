import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProofFile, formatWitnessRequest, readProofFile, readWitnessRequest } from '../src/index.ts';

const CHECKPOINT =
  'store.example\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— store.example AAAAAAA=\n';
const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 63 });
const same = (a: readonly Uint8Array[] | undefined, b: readonly Uint8Array[]) =>
  expect(a?.map((one) => [...one])).toEqual(b.map((one) => [...one]));

describe('a proof as a file', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.option(fc.uint8Array({ maxLength: 50 })), fc.nat(), hashes, (extra, index, all) => {
        const read = readProofFile(formatProofFile({ extra, index, hashes: all, checkpoint: CHECKPOINT }));
        expect(read).toMatchObject({ index, checkpoint: CHECKPOINT });
        expect(read?.extra && [...read.extra]).toEqual(extra && [...extra]);
        same(read?.hashes, all);
      }),
    );
  });

  const FILE = formatProofFile({
    extra: Buffer.from('x'),
    index: 7,
    hashes: [Buffer.alloc(32)],
    checkpoint: CHECKPOINT,
  });
  it.each([
    ['another first line', FILE.replace('@v1', '@v2')],
    ['extra data after the index', FILE.replace(/(extra .*\n)(index .*\n)/, '$2$1')],
    ['an index with a zero before it', FILE.replace('index 7', 'index 07')],
    ['no index', FILE.replace(/index .*\n/, '')],
    ['a hash that is cut', FILE.replace('AAAA', '')],
    ['no checkpoint', FILE.slice(0, FILE.indexOf('\n\n'))],
    ['64 hashes', FILE.replace('index 7\n', `index 7\n${`${'A'.repeat(43)}=\n`.repeat(63)}`)],
  ])('is not read with %s', (_what, file) => expect(readProofFile(file)).toBeNull());
});

describe('a request to a witness', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.nat(), hashes, (old, proof) => {
        const read = readWitnessRequest(formatWitnessRequest({ old, proof, checkpoint: CHECKPOINT }));
        expect(read).toMatchObject({ old, checkpoint: CHECKPOINT });
        same(read?.proof, proof);
      }),
    );
  });

  it.each(['old 01\n\nx', 'old -1\n\nx', 'old 1\n', 'OLD 1\n\nx', 'old 1\nAAAA\n\nx'])(
    'is not read as %j',
    (body) => expect(readWitnessRequest(body)).toBeNull(),
  );
});
