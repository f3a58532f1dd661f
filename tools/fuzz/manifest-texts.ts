import { isDeepStrictEqual } from 'node:util';
import { sampleFiles } from '@svc/testkit';
import { parseManifest, validateBundle } from '@svc/validator';
import fc from 'fast-check';
import { anyText } from '../../packages/validator/test/arbitrary.ts';
import { RICH_MANIFEST } from '../../packages/validator/test/rich-manifest.ts';
import { edited } from './edits.ts';
import { type Part, promise, promiseSoundIssues } from './promise.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const ORIGINALS = [RICH_MANIFEST, RICH_MANIFEST.contributes, {}, [], 'text'].flatMap((value) => [
  encode(JSON.stringify(value)),
  encode(JSON.stringify(value, null, 2)),
]);

const TOKENS = [
  ...[
    '"__proto__":{"id":1},',
    '"id":',
    '"constructor":',
    '"\\u0069d":"x",',
    '\\ud800',
    '\\udc00\\ud800',
    '\\u0000',
  ],
  ...[
    '\ufeff',
    '\u2028',
    '//',
    '/*',
    '\0',
    ',',
    ',,',
    ':',
    '"',
    "'",
    '\\',
    '\\x',
    '{',
    '}',
    '[',
    ']',
    '\t',
    '\r\n',
  ],
  ...[
    '1e999',
    '-0',
    '1e-999',
    '0x1',
    '01',
    '+1',
    '.5',
    '5.',
    'NaN',
    'Infinity',
    'undefined',
    'true',
    'nul',
    '1E+0',
  ],
  ...['['.repeat(70), '{"a":'.repeat(70), '['.repeat(50_000), '1'.repeat(400), `"${'a'.repeat(5_000)}"`],
  ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]].map((bytes) =>
    Uint8Array.from(bytes),
  ),
];

const POINTERS = [
  '',
  '/',
  '/id',
  '/contributes/tools/0/files',
  '/accounts/1',
  '/__proto__/id',
  '/~0~1~2',
  'id',
];

/** Byte strings as plugin.json: a parsed value must equal that of `JSON.parse`. */
export const manifestTexts: Part<Uint8Array> = {
  name: 'text',
  inputs: fc.oneof(
    { weight: 6, arbitrary: edited(ORIGINALS, TOKENS) },
    { weight: 1, arbitrary: anyText(300).map(encode) },
    { weight: 1, arbitrary: fc.json().map(encode) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  ),
  check: (bytes) => {
    const reading = parseManifest(bytes);
    if (reading.ok) {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      promise(
        isDeepStrictEqual(reading.value, JSON.parse(text)),
        'the value differs from that of JSON.parse',
      );
      for (const pointer of POINTERS) reading.locate(pointer);
    } else {
      promiseSoundIssues(reading.issues);
    }
    const files = sampleFiles().set('plugin.json', bytes);
    for (const mode of ['store', 'dev'] as const) promiseSoundIssues(validateBundle(files, { mode }).issues);
  },
  toFile: (bytes) => bytes,
};
