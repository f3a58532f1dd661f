import { attention } from 'micromark-core-commonmark';
import { classifyCharacter } from 'micromark-util-classify-character';
import type { Code, Construct, Extension, State, Tokenizer } from 'micromark-util-types';

const STAR = 42;
const UNDERSCORE = 95;

const charOf = (code: Code): string => (code === null || code < 0 ? '' : String.fromCodePoint(code));

/** Scripts without spaces between words, and their punctuation. */
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
const isCjk = (code: Code): boolean => CJK.test(charOf(code));

/** 1 for a space, 2 for punctuation, else undefined. CJK punctuation counts as a letter, so that `**「强调」**的` is emphasis. */
const classOf = (code: Code): 1 | 2 | undefined => {
  const found = classifyCharacter(code);
  return found === 2 && isCjk(code) ? undefined : (found as 1 | 2 | undefined);
};

/** What stands before a star that multiplies, or that is a part of a pattern of files, in a text without backticks. */
const isCode = (before: Code, after: Code): boolean =>
  /[\w/\\.]/.test(charOf(before)) && (/[/\\.]/.test(charOf(before)) ? /[.\w/]/ : /\w/).test(charOf(after));

/** Whether emphasis may begin between two characters; read from the right, whether it may end. */
const flanks = (outer: Code, inner: Code): boolean =>
  !classOf(inner) || (classOf(inner) === 2 && (classOf(outer) !== undefined || isCjk(outer)));

/** The rules of CommonMark, with those for CJK that its next version discusses, and without emphasis within `2*3*4` and `src/*.js`. */
const tokenizeAttention: Tokenizer = function (effects, ok) {
  const { previous } = this;
  const before = classOf(previous);
  let marker: Code = null;
  let size = 0;
  const inside: State = (code) => {
    if (code === marker) {
      effects.consume(code);
      size += 1;
      return inside;
    }
    const token = effects.exit('attentionSequence');
    const after = classOf(code);
    const isTight = marker === STAR && size === 1 && isCode(previous, code);
    const [open, close] = [flanks(previous, code), flanks(code, previous)];
    token._open = !isTight && (marker === STAR ? open : open && (before !== undefined || !close));
    token._close = marker === STAR ? close : close && (after !== undefined || !open);
    return ok(code);
  };
  return (code) => {
    marker = code;
    effects.enter('attentionSequence');
    return inside(code);
  };
};

const kept: Construct = { ...attention, name: 'emphasis', tokenize: tokenizeAttention };

/** Emphasis beside CJK, and stars of code. */
export const emphasisSyntax: Extension = {
  disable: { null: ['attention'] },
  text: { [STAR]: kept, [UNDERSCORE]: kept },
};
