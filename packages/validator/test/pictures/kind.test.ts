import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/pictures/kind.ts';
import { cpuMs } from '../support.ts';
import { jpeg, png, svg, vp8, webpOf } from './build.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

describe('kindOf', () => {
  it('recognises PNG, JPEG and WebP', () => {
    expect(kindOf(png(1))).toEqual({ format: 'png' });
    expect(kindOf(jpeg(1))).toEqual({ format: 'jpeg' });
    expect(kindOf(webpOf(vp8(1, 1)))).toEqual({ format: 'webp' });
  });

  it.each([
    ['GIF89a', 'a GIF'],
    ['BM\x36\x10\x0e\0\0\0\0\0\x36', 'a BMP'],
    ['\0\0\0\x1cftypavif', 'an AVIF'],
    ['\0\0\0\x18ftypheic', 'a HEIC'],
    ['\0\0\0\x18ftypmif1', 'a HEIC or an AVIF'],
    ['\0\0\0\x18ftypisom', 'a video'],
    ['II*\0\x08\0\0\0', 'a TIFF or a raw photo'],
    ['MM\0*\0\0\0\x08', 'a TIFF or a raw photo'],
    ['\xff\x0a\xfa\x1f', 'a JPEG XL'],
    ['\0\0\0\x0cJXL \r\n\x87\n', 'a JPEG XL'],
    ['\0\0\0\x0cjP  \r\n\x87\n', 'a JPEG 2000'],
    ['\0\0\x01\0\x01\0', 'an ICO'],
    ['8BPS\0\x01', 'a Photoshop document'],
    ['%PDF-1.7', 'a PDF'],
    ['\x1f\x8b\x08\0', 'compressed with gzip, like an SVGZ'],
    ['PK\x03\x04\x14\0', 'a zip, or a document in a zip'],
    ['version https://git-lfs.github.com/spec/v1\n', 'a Git LFS pointer instead of the file'],
    ['', 'empty'],
    ['a picture', 'plain text'],
    ['{"a": 1}', 'plain text'],
    ['\0\0\0\0', 'of an unknown format'],
    ['\xff\xd8\x00', 'of an unknown format'],
    ['RIFF\0\0\0\0WAVE', 'of an unknown format'],
  ])('names %j', (start, what) => expect(kindOf(latin(start))).toEqual({ format: 'other', what }));

  it.each([
    ['<!DOCTYPE html><p>', 'other', 'an HTML page'],
    ['\ufeff\n <!-- a -->\n<HTML>', 'other', 'an HTML page'],
    ['<script>alert(1)</script>', 'other', 'an HTML page'],
    [svg(''), 'markup', 'an SVG'],
    [`<?xml version="1.0"?>\n${svg('')}`, 'markup', 'an SVG'],
    ['<rss/>', 'markup', 'XML or HTML'],
    ['Zürich', 'other', 'plain text'],
    [`${'a'.repeat(511)}ü`, 'other', 'plain text'],
  ] as const)('distinguishes kinds of text: %j', (text, format, what) =>
    expect(kindOf(Buffer.from(text))).toEqual({ format, what }),
  );

  it('recognises a picture that was damaged by being copied as text', () => {
    const damage = { format: 'other', what: expect.stringContaining('damaged by being copied as text') };
    expect(kindOf(Buffer.from(png(9).toString('utf8')))).toEqual(damage);
    expect(kindOf(Buffer.from(png(9).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))).toEqual(damage);
    expect(kindOf(Buffer.from(jpeg(9).toString('utf8')))).toEqual(damage);
    expect(kindOf(Buffer.from(`\ufeff${svg('')}`, 'utf16le'))).toEqual({
      format: 'other',
      what: 'text in UTF-16',
    });
  });

  it.each([
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a zip', 'PK\x03\x04'],
    ['a PDF', '%PDF-1.4\n'],
    ['a space', ' '],
  ])('does not recognise a picture that starts with %s', (_, front) => {
    for (const picture of [png(9), jpeg(9), webpOf(vp8(9, 9))]) {
      expect(kindOf(Buffer.concat([latin(front), picture])).format).toBe('other');
    }
  });

  it('never throws for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => void kindOf(bytes)));
  });

  it('reads only the start of a file', () => {
    const start = cpuMs();
    for (const text of ['<!--', '<!-- -->', '<', ' ', '\0']) kindOf(Buffer.alloc(3_000_000, text));
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});
