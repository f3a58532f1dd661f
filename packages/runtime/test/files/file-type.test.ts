import { cpuMs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { accepts, fileTypeOf, typeOfFile } from '../../src/files/file-type.ts';
import { heic } from '../support/heic.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const box = (brand: string) => Buffer.concat([hex('00000018'), Buffer.from(`ftyp${brand}`), Buffer.alloc(8)]);
const utf16 = (value: string) => Buffer.from(`\ufeff${value}`, 'utf16le');
const text = (content: string) => Buffer.from(content);

const PNG = hex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049444154');
const PDF = text('%PDF-1.7 hello');
const COMPOUND = Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.alloc(600)]);
const ZIP = text('PK\u0003\u0004 nothing of that kind');
const WASM = hex('0061736d01000000');
const AAC = hex('fff15080001ffc210004602f');
const GLB = Buffer.concat([text('glTF'), hex('02000000 0c000000')]);
const WOFF2 = Buffer.concat([text('wOF2'), hex('00010000'), Buffer.alloc(40)]);
const WOFF = Buffer.concat([text('wOFF'), hex('00010000'), Buffer.alloc(40)]);
const OTF = Buffer.concat([text('OTTO\0'), Buffer.alloc(40)]);
const LATIN = Buffer.from('name;town\nJörg;Köln\n', 'latin1');

describe('the type of a file', () => {
  it.each<[string, string, Uint8Array]>([
    ['image/png', 'x', PNG],
    ['image/jpeg', 'x.png', hex('ffd8ffe000104a464946')],
    ['image/webp', '', text('RIFF\0\0\0\0WEBPVP8 ')],
    ['audio/wav', '', text('RIFF\0\0\0\0WAVEfmt ')],
    ['image/avif', '', box('avif')],
    ['image/heic', '', box('heic')],
    ['audio/mp4', '', box('M4A ')],
    ['video/quicktime', '', box('qt  ')],
    ['video/mp4', 'x.m4a', box('isom')],
    ['audio/mpeg', '', hex('fffb9064')],
    ['audio/aac', 'x', AAC],
    ['application/pdf', 'x.txt', PDF],
    ['application/zip', 'x.docx', ZIP],
    [
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'x.docx',
      text('PK\u0003\u0004 word/document.xml'),
    ],
    ['application/msword', 'x.doc', COMPOUND],
    ['application/vnd.ms-excel', 'x.xls', COMPOUND],
    ['application/x-cfb', 'x', COMPOUND],
    ['application/wasm', 'x', WASM],
    ['model/gltf-binary', 'x', GLB],
    ['model/gltf+json', 'x.gltf', text('{"asset":{"version":"2.0"}}')],
    ['font/woff2', 'x', WOFF2],
    ['font/woff', 'x', WOFF],
    ['font/otf', 'x', OTF],
    ['image/svg+xml', 'x.png', text('\ufeff<?xml version="1.0"?>\n<!-- a --> <SVG xmlns="x"/>')],
    ['text/html', 'x.csv', text('<!-- a --><!DOCTYPE html><p>')],
    ['text/html', 'x.txt', text('<html>')],
    ['text/html', 'x.html', text('Hello <b>you</b>')],
    ['text/html', 'fragment', text('<p>Hello</p>')],
    ['text/markdown', 'x.md', text('<div align="center">\n\n# a')],
    ['application/xml', 'x', text('<?xml version="1.0"?><a/>')],
    ['application/xml', 'x.xml', text('<a/>')],
    ['application/gpx+xml', 'x.gpx', text('<?xml version="1.0"?><gpx/>')],
    ['text/csv', 'x.csv', text('a,b')],
    ['text/csv', 'x.csv', LATIN],
    ['text/csv', 'x.csv', text('BMW,1\nAudi,2')],
    ['text/markdown', 'x.md', text('# a')],
    ['application/json', 'x.json', text('[1]')],
    ['application/json', 'answer', text(' {"a":1}')],
    ['text/plain', 'x.json', text('[1')],
    ['text/plain', '1', text('5')],
    ['application/x-ndjson', 'x.ndjson', text('{"a":1}\n{"a":2}\n')],
    ['text/plain', 'x.ndjson', text('hello')],
    ['text/x-python', 'x.py', text('print(1)')],
    ['application/yaml', 'x.yml', text('a: 1')],
    ['application/toml', 'x.toml', text('a = 1')],
    ['application/sql', 'x.sql', text('select 1')],
    ['text/x-typescript', 'x.ts', text('let a: 1')],
    ['text/plain', 'x.png', text('hello')],
    ['text/plain', 'x.exe', text('hello')],
    ['text/plain', 'x.doc', text('hello')],
    ['application/octet-stream', 'x.txt', hex('00ff00ff')],
    ['application/octet-stream', 'x.png', hex('00ff00ff')],
    ['application/x-msdownload', 'x.txt', text('MZ\0')],
    ['text/plain', 'x.txt', Buffer.alloc(0)],
    ['text/csv', 'x.csv', Buffer.alloc(0)],
    ['text/plain', 'x.json', Buffer.alloc(0)],
    ['text/plain', 'x.png', Buffer.alloc(0)],
    ['text/plain', 'x', Buffer.alloc(0)],
    ['text/plain', 'x.txt', utf16('Grüße')],
    ['text/csv', 'x.csv', utf16('a;b\r\n1;2').swap16()],
    ['application/json', 'x.json', utf16('{"a":1}')],
    ['text/html', 'x.txt', utf16('<!doctype html><p>')],
    ['image/svg+xml', 'x.txt', utf16('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['application/octet-stream', 'x.txt', hex('fffe0100')],
    ['application/octet-stream', 'x.txt', hex('fffe00d8')],
    ['application/pdf', 'x.txt', Buffer.concat([text('\r\n\n'), PDF])],
    ['application/pdf', 'x', text('\n \n%PDF-1.7\n')],
    ['text/plain', 'x.pdf', text('See %PDF-1.7')],
    ['image/heic', 'x.jpg', heic()],
  ])('is %s for a file named %j', async (type, name, bytes) => {
    expect(await typeOfFile(bytes, name)).toBe(type);
  });

  it('is found in less than five seconds of processor time for endless markup and broken containers', async () => {
    const started = cpuMs();
    for (const piece of ['<!--', '<?xml ', '<!doctype svg ', ' ', '{"a":', 'PK\u0003\u0004', 'BMW,']) {
      await fileTypeOf(Buffer.from(piece.repeat(200_000)), 'x.svg');
    }
    for (const start of [
      '3026b2758e66cf11a6d9',
      '1a45dfa3',
      '52494646ffffffff',
      '4f676753',
      '494433040000',
    ]) {
      await fileTypeOf(Buffer.concat([hex(start), Buffer.alloc(1_000_000, 0xff)]), 'x');
      await fileTypeOf(Buffer.concat([hex(start), Buffer.alloc(1_000_000)]), 'x');
    }
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});

describe('the accepted types', () => {
  it.each<[string, string, Uint8Array]>([
    ['text/x-python', 'x.py', text('print(1)')],
    ['application/x-python-code', 'x.py', text('1')],
    ['application/x-ndjson', 'x.jsonl', text('{"a":1}\n')],
    ['application/jsonl', 'x.ndjson', text('{"a":1}\n')],
    ['application/toml', 'x.toml', text('a = 1')],
    ['application/sql', 'x.sql', text('select 1')],
    ['text/x-sql', 'x.sql', text('select 1')],
    ...['application/yaml', 'text/yaml', 'application/x-yaml', 'text/x-yaml', 'text/vnd.yaml'].flatMap(
      (type): [string, string, Uint8Array][] => [
        [type, 'x.yaml', text('a: 1')],
        [type, 'x.yml', text('a: 1')],
      ],
    ),
    ['text/xml', 'x.xml', text('<?xml version="1.0"?><a/>')],
    ['application/xml', 'x.xml', text('<a/>')],
    ['text/xml', 'x', text('<?xml version="1.0"?><a/>')],
    ['text/html', 'x.html', text('Hello <b>you</b>')],
    ['text/html', 'x', text('<p>Hello</p>')],
    ['application/msword', 'x.doc', COMPOUND],
    ['font/woff2', 'x', WOFF2],
    ['application/font-woff', 'x', WOFF],
    ['font/*', 'x.otf', OTF],
    ['application/wasm', 'x.wasm', WASM],
    ['model/gltf+json', 'x.gltf', text('{"asset":{"version":"2.0"}}')],
    ['model/gltf-binary', 'x.glb', GLB],
    ['model/*', 'x.gltf', text('{"asset":{"version":"2.0"}}')],
    ['audio/aac', 'x.aac', AAC],
    ['audio/aacp', 'x', AAC],
    ['text/plain', 'x.csv', text('a,b')],
    ['text/csv', 'x.csv', LATIN],
    ['application/json', 'answer', text('{"a":1}')],
    ['application/vnd.acme.thing+json', 'x.json', text('{"a":1}')],
    ['text/*', 'x.py', text('print(1)')],
    ['text/*', 'x', text('hello')],
    ['text/*', 'x.yaml', text('a: 1')],
    ['text/*', 'x.md', Buffer.alloc(0)],
    ['text/plain', 'x.txt', utf16('hello')],
    ['text/plain', 'x.json', text('{"a":1}')],
    ['image/heif', 'IMG_1.HEIC', heic()],
    ['image/heic', 'IMG_1.HEIC', heic()],
    ['IMAGE/PNG; q=1', 'x', PNG],
    ['image/*', 'x', PNG],
    ['application/vnd.google-earth.kmz', 'x.kmz', ZIP],
    ['application/zip', 'x.kmz', ZIP],
    ['application/vnd.lotus-1-2-3', 'x.123', hex('00001a00')],
    ['*/*', 'x', PDF],
  ])('%s match a file named %j', async (accept, name, bytes) => {
    expect(accepts([accept], await fileTypeOf(bytes, name))).toBe(true);
  });

  it.each<[string, string, Uint8Array]>([
    ['image/png', 'x.png', text('hello')],
    ['image/png', 'x.png', Buffer.alloc(0)],
    ['application/json', 'x.json', Buffer.alloc(0)],
    ['text/*', 'x.json', text('{"a":1}')],
    ['text/*', 'x', text('{"a":1}')],
    ['text/*', 'x.jsonl', text('{"a":1}\n')],
    ['text/*', 'x.eml', text('From: a@example.com\nSubject: Hello\n\nHello')],
    ['text/*', 'x.html', PDF],
    ['image/avif', 'IMG_1.HEIC', heic()],
    ['image/*', 'x.png', hex('00ff00ff')],
    ['image/*', 'x.pcx', hex('00ff00ff')],
    ['image/*', 'x.xpm', text('hello')],
    ['image/*', 'x.png', PDF],
    ['application/pdf', 'x.pdf', text('hello')],
    ['text/csv', 'x.csv', PDF],
    ['text/csv', 'x.csv', ZIP],
    ['text/csv', 'x.csv', hex('00ff00ff')],
    ['text/plain', 'x.txt', PNG],
    ['text/plain', 'x.txt', text('<!doctype html><p>')],
    ['text/csv', 'x.csv', text('<!doctype html><p>')],
    ['application/msword', 'x.doc', text('hello')],
    ['application/msword', 'x.doc', PDF],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'x.docx', ZIP],
    ['application/json', 'x.json', text('{"a":')],
    ['application/vnd.acme.thing+json', 'x.txt', text('hello')],
    ['application/x-ndjson', 'x.ndjson', text('hello')],
    ['application/gpx+xml', 'x.gpx', text('hello')],
    ['font/woff2', 'x.woff2', text('hello')],
    ['application/wasm', 'x.wasm', hex('00ff00ff')],
    ['application/yaml', 'x.txt', text('a: 1')],
    ['audio/aac', 'x.aac', hex('00ff00ff')],
    ['imag', 'x.png', PNG],
    ['', 'x.png', PNG],
  ])('%s do not match a file named %j', async (accept, name, bytes) => {
    expect(accepts([accept], await fileTypeOf(bytes, name))).toBe(false);
  });

  it('match no file when the list is empty, and every file when there is no list', async () => {
    expect(accepts([], await fileTypeOf(PNG, 'x'))).toBe(false);
    expect(accepts(undefined, await fileTypeOf(PNG, 'x'))).toBe(true);
  });
});
