import { png } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { imageTypeOf } from '../../../src/domain/versions/image-type.ts';

const text = (value: string) => new TextEncoder().encode(value);

describe('imageTypeOf', () => {
  it.each([
    ['image/png', png(8)],
    ['image/jpeg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['image/webp', text('RIFF....WEBPVP8 ')],
    ['image/svg+xml', text('<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text('  <svg viewBox="0 0 1 1"></svg>')],
    ['image/svg+xml', text('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text(`<!-- ${'long '.repeat(2_000)} --><svg/>`)],
  ])('detects %s by its bytes', (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
  });

  it.each([
    ['an HTML page', text('<!doctype html><script>alert(1)</script>')],
    ['a script', text('alert("<svg>")')],
    ['an empty file', new Uint8Array()],
    ['the start of a PNG', Uint8Array.of(0x89, 0x50, 0x4e)],
  ])('is null for %s', (_name, bytes) => {
    expect(imageTypeOf(bytes)).toBeNull();
  });
});
