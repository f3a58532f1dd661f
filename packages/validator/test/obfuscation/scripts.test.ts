import { describe, expect, it } from 'vitest';
import { scriptsIn } from '../../src/obfuscation/scripts.ts';

function found(text: string, extension: string): string[] {
  const { bytes, ranges } = scriptsIn(new TextEncoder().encode(text), extension);
  return Array.from(ranges, ({ start, end }) => new TextDecoder().decode(bytes.subarray(start, end)));
}

describe('scriptsIn', () => {
  it('returns a script file as one range', () => expect(found('a <script>', 'js')).toEqual(['a <script>']));

  it.each([
    ['a page without scripts', '<p>a</p>', []],
    ['several', '<script>a</script><script >b</script\n>', ['a', 'b']],
    ['any letter case', '<SCRIPT>a</sCriPt>', ['a']],
    ['attributes', '<script defer src="a>b" data-type="text/x">a</script>', ['a']],
    ['modules', '<script type=module>a</script><script type="text/javascript">b</script>', ['a', 'b']],
    ['data', '<script type="application/json">a</script><script type="importmap">b</script>', []],
    ['a template', "<script id='x' type='text/template'>a</script>", []],
    ['a slash', '<script/x>a</script/>', ['a']],
    ['no end', '<script>a', ['a']],
    ['an open tag', '<script a="', []],
    ['other names', '<scripts>a</scripts><noscript>b</noscript>', []],
    ['a comment in script', '<script><!-- a --></script>b', ['<!-- a -->']],
    ['script in script', '<script><!--<script>a</script>b--></script>c', ['<!--<script>a</script>b-->']],
    ['an end that is a text', '<script>a="<\\/script>";b</script>', ['a="<\\/script>";b']],
  ])('finds in HTML: %s', (_what, text, scripts) => expect(found(text, 'html')).toEqual(scripts));

  it.each([
    ['a prefix', '<svg:script>a</svg:script>', ['a']],
    ['an empty element', '<script href="a"/><g>b</g><script>c</script>', ['c']],
  ])('finds in SVG: %s', (_what, text, scripts) => expect(found(text, 'svg')).toEqual(scripts));

  it('converts UTF-16 with a byte order mark to single bytes', () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x62, 0, 0x01, 0x30, 0x63);
    expect(new TextDecoder().decode(scriptsIn(bytes, 'js').bytes)).toBe('ab?');
  });
});
