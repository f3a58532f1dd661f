import { runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visitSyntax } from '../../src/obfuscation/syntax.ts';

/** The names called in a text, in the order in which the calls end. */
function callsIn(text: string): string[] {
  const names: string[] = [];
  visitSyntax(text, (node) => {
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier') names.push(node.callee.name);
  });
  return names;
}

describe('visitSyntax', () => {
  it.each([
    ['scripts and modules', "import a from 'a'; with (b) c(); export default d();", ['c', 'd']],
    [
      'syntax that is only valid in functions',
      'return a(); await b(); break; new.target; super.x; this.#y; c()',
      ['a', 'b', 'c'],
    ],
    ['the body of a loop', 'a(); continue; } b();', ['a', 'b']],
    ['a module in which `<!--` is no comment', 'x <!--y, a();', ['a']],
    ['errors that a browser would refuse', 'let a; let a; a(); b(010, "\\08");', ['a', 'b']],
    ['unknown syntax', 'a(); @@ ?? ~~~> { b() } ; c()', ['a', 'b', 'c']],
    ['a start inside a string', "some words', 'next'; a('x'); b()", ['a', 'b']],
    ['an end inside a string', 'a(b("text that goes on', ['b', 'a']],
    ['an end inside a list', 'a([1, 2, 3,', ['a']],
    ['an open comment', 'a(); /* b();', ['a', 'b']],
    ['nesting too deep to follow', `a(); ${'('.repeat(50_000)} b();`, ['a', 'b']],
  ])('reads %s', (_what, text, calls) => expect(callsIn(text)).toEqual(calls));

  it('visits every node once, children first', () => {
    const types: string[] = [];
    visitSyntax('(a, b) => a[0];', ({ type }) => types.push(type));
    expect(types).toEqual([
      'Identifier',
      'Identifier',
      'Identifier',
      'Literal',
      'MemberExpression',
      'ArrowFunctionExpression',
      'ExpressionStatement',
    ]);
  });

  it('never throws, and finds a call on the line after any text', () => {
    // An open string or comment includes the rest of the text, as in a browser.
    const closed = fc.string({ maxLength: 60 }).map((text) => text.replace(/[`'"/\\<#-]/g, ' '));
    fc.assert(
      fc.property(closed, (text) => {
        expect(callsIn(`${text}\n;;found(1);`)).toContain('found');
      }),
      { numRuns: runs(500) },
    );
    fc.assert(fc.property(anyText({ maxLength: 200 }), (text) => callsIn(text).length >= 0));
  });
});
