import { cpuMs } from '@svc/testkit';
import { expect, it } from 'vitest';
import { sniffType } from '../../src/files/sniff-type.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const box = (brand: string) => Buffer.concat([hex('00000018'), Buffer.from(`ftyp${brand}`), Buffer.alloc(8)]);

it.each<[string, string, Uint8Array]>([
  ['image/png', 'x', hex('89504e470d0a1a0a')],
  ['image/jpeg', 'x.png', hex('ffd8ffe0')],
  ['image/webp', '', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ['audio/wav', '', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ['image/avif', '', box('avif')],
  ['image/heic', '', box('heic')],
  ['audio/mp4', '', box('M4A ')],
  ['video/quicktime', '', box('qt  ')],
  ['video/mp4', 'x.m4a', box('isom')],
  ['audio/mpeg', '', hex('fffb9064')],
  ['audio/mpeg', '', Buffer.from('ID3\u0004')],
  ['application/pdf', 'x.txt', Buffer.from('%PDF-1.7')],
  ['application/zip', 'x.docx', Buffer.from('PK\u0003\u0004 nothing of that kind')],
  [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'x.docx',
    Buffer.from('PK\u0003\u0004 word/document.xml'),
  ],
  ['image/svg+xml', 'x.png', Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- a --> <SVG xmlns="x"/>')],
  ['text/html', 'x.csv', Buffer.from('<!-- a --><!DOCTYPE html><p>')],
  ['text/html', 'x.txt', Buffer.from('<html>')],
  ['text/csv', 'x.csv', Buffer.from('a,b')],
  ['text/markdown', 'x.md', Buffer.from('# a')],
  ['application/json', 'x.json', Buffer.from('[1]')],
  ['text/plain', 'x.json', Buffer.from('[1')],
  ['text/plain', 'x.png', Buffer.from('hello')],
  ['application/octet-stream', 'x.txt', hex('00ff00ff')],
  ['application/octet-stream', 'x.txt', hex('c328')],
  ['application/octet-stream', 'x.exe', Buffer.from('MZ\0')],
  ['application/octet-stream', 'x.txt', Buffer.alloc(0)],
])('says %s of what is called %j', (type, name, bytes) => {
  expect(sniffType(bytes, name)).toBe(type);
});

it('is done in no time with what looks like markup without end', () => {
  const started = cpuMs();
  for (const piece of ['<!--', '<?xml ', '<!doctype svg ', ' ']) {
    sniffType(Buffer.from(piece.repeat(200_000)), 'x.svg');
  }
  expect(cpuMs() - started).toBeLessThan(1_000);
});
