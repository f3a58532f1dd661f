import { DEEP, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPicture } from '../../src/pictures/read-picture.ts';
import { MAX_ELEMENTS, readSvg } from '../../src/pictures/svg.ts';
import { bytesOf, cpuMs } from '../support.ts';
import { svg } from './build.ts';

const read = (text: string) => readSvg(bytesOf(text));
const hazardOf = (text: string) => {
  const picture = read(text);
  return picture.format === 'svg' ? picture.hazard : 'no svg';
};
const square = { width: 24, height: 24 };

describe('an SVG', () => {
  it.each([
    ['with a declaration', `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${svg('')}`],
    ['with a byte order mark', `\ufeff${svg('')}`],
    ['of version 1.1', `<?xml version="1.1"?>${svg('')}`],
    ['under a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><s:g/></s:svg>'],
    ['with comments around it', `<!-- a -->${svg('')}<!-- b -->\n `],
  ])('is recognised %s', (_, text) =>
    expect(read(text)).toEqual({ format: 'svg', sides: square, hazard: undefined }),
  );

  it.each([
    ['', 'XML'],
    [' ', 'XML'],
    ['plain text', 'XML'],
    ['{"svg":1}', 'XML'],
    ['<svg viewBox="0 0 24 24"/>', 'root element "svg"'],
    ['<svg xmlns="http://www.w3.org/1999/xhtml"/>', 'root element "svg"'],
    ['<SVG xmlns="http://www.w3.org/2000/svg"/>', 'root element "SVG"'],
    ['<path xmlns="http://www.w3.org/2000/svg"/>', 'root element "path"'],
    ['<!DOCTYPE html><html><body onload="alert(1)"/></html>', 'root element "html"'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'line 1: "unclosed tag'],
    [svg('\n<g>\n<path></g>'), 'line 3'],
    [svg('<g a="1" a="2"/>'), 'duplicate attribute'],
    [svg('<x:g/>'), 'unbound namespace prefix'],
    [svg('&nbsp;'), 'undefined entity'],
    [svg('&#0;'), 'malformed character entity'],
    [svg('\u0000'), 'disallowed character'],
    [svg('a < b'), 'XML'],
    [svg('<g a=1/>'), 'unquoted'],
    [`${svg('')}${svg('')}`, 'one root'],
    [`${svg('')}text`, 'outside of root'],
    [`<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, 'the encoding "UTF-7"'],
    [`<?xml version="1.0" encoding="ISO-8859-1"?>${svg('')}`, 'declares the encoding'],
    ['<!DOCTYPE svg [', 'XML'],
    ['<!DOCTYPE svg [<!-- -', 'XML'],
    ['<!--', 'XML'],
  ])('is not recognised in %j', (text, why) => {
    const picture = read(text);
    expect(picture.format === 'other' && picture.why).toContain(why);
  });

  it('must be UTF-8', () => {
    const utf16 = Buffer.from(`\ufeff${svg('')}`, 'utf16le');
    expect(readSvg(utf16)).toEqual({ format: 'other', why: 'is not text in UTF-8' });
    expect(readSvg(Buffer.from(svg('é'), 'latin1')).format).toBe('other');
  });

  it('may have 10,000 elements, including its root', () => {
    expect(hazardOf(svg('<g/>'.repeat(MAX_ELEMENTS - 1)))).toBeUndefined();
    expect(hazardOf(svg('<g/>'.repeat(MAX_ELEMENTS)))).toBe('line 1 has more than 10000 elements');
  });

  it('is quoted in messages shortened and escaped', () => {
    const picture = read(svg(`<g></${'g'.repeat(5_000)}>`));
    expect(picture.format === 'other' ? picture.why.length : Number.NaN).toBeLessThan(200);
    expect(hazardOf(svg(`<g href="${'\u202e'.repeat(100)}"/>`))?.length).toBeLessThan(500);
    expect(hazardOf(svg('<g href="\u202e"/>'))).not.toContain('\u202e');
  });
});

describe('reading an SVG', () => {
  const limit = 1_000_000;
  it.each([
    ['nested elements', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['elements', `${svg('').replace('</svg>', '')}${'<g/>'.repeat(limit / 4)}</svg>`],
    ['attributes', svg('', Array.from({ length: limit / 12 }, (_, i) => `data-${i}=""`).join(' '))],
    ['prefixes', svg('', Array.from({ length: limit / 20 }, (_, i) => `xmlns:a${i}="b"`).join(' '))],
    ['entities', svg('&amp;'.repeat(limit / 5))],
    ['ampersands', svg('&'.repeat(limit))],
    ['open comments', svg('<!--'.repeat(limit / 4))],
    ['text in a style', svg(`<style>${'<!---->a'.repeat(limit / 8)}</style>`)],
    ['a doctype', `<!DOCTYPE svg [${'<!ENTITY a "&a;&a;">'.repeat(limit / 20)}]>${svg('&a;')}`],
    ['quotes', svg('', `style="${"'".repeat(limit)}"`)],
    ['a path', svg(`<path d="${'M0 0'.repeat(limit / 4)}"/>`)],
  ])('takes bounded time for a megabyte of %s', DEEP, (_, piece) => {
    const bytes = bytesOf(piece.repeat(Math.max(1, Math.floor(limit / piece.length))));
    const start = cpuMs();
    readSvg(bytes);
    expect(cpuMs() - start).toBeLessThan(10_000);
  });

  it('never throws and is deterministic, for any bytes', () => {
    const piece = fc.constantFrom(
      ...'<svg xmlns="http://www.w3.org/2000/svg">|</svg>|<g>|</g>|<style>|</style>|<!--|-->|<![CDATA[|]]>|<?xml|?>'.split(
        '|',
      ),
      ...[
        '<!DOCTYPE',
        '[',
        ']',
        '>',
        '<',
        '&',
        '&amp;',
        ';',
        '"',
        "'",
        '=',
        ' ',
        'a',
        '\r',
        '\u0000',
        '\ud800',
        '😀',
        ':',
      ],
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(piece, { maxLength: 25 }).map((pieces) => bytesOf(pieces.join(''))),
      fc.array(piece, { maxLength: 12 }).map((pieces) => bytesOf(svg(pieces.join('')))),
    );
    const property = fc.property(bytes, (content) => {
      expect(readPicture(content)).toEqual(readPicture(content));
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  it('never accepts a script after one byte of the file is changed', () => {
    const attack = bytesOf(svg('<script>alert(1)</script>'));
    fc.assert(
      fc.property(fc.nat({ max: attack.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Uint8Array.from(attack).with(at, byte);
        const picture = readSvg(changed);
        const isHarmless = picture.format === 'svg' && picture.hazard === undefined;
        expect(isHarmless && new TextDecoder().decode(changed).includes('<script')).toBe(false);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
