import type { CompileContext, Extension as FromMarkdown, Token } from 'mdast-util-from-markdown';
import type { Code, Construct, Extension, State, Tokenizer } from 'micromark-util-types';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula';
    formulaMark: 'formulaMark';
    formulaData: 'formulaData';
    formulaAfter: 'formulaAfter';
  }
}

const DOLLAR = 36;
const BACKSLASH = 92;
const BACKTICK = 96;
/** The delimiter that ends a formula, by the character after the backslash that begins it. */
const CLOSERS = new Map<Code, number>([
  [40, 41],
  [91, 93],
]);

const isLineEnding = (code: Code): boolean => code !== null && code < -2;
const isSpace = (code: Code): boolean => code === null || code < 0 || code === 32;
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57;
const isLetter = (code: Code): boolean =>
  code !== null && /[A-Za-z_{]/.test(String.fromCodePoint(Math.max(code, 0)));

const WORDS = /(?<![^\s,.;(])[a-z]{2,}(?![^\s,.;)])/gi;

/** Whether a text between two dollars is words and amounts: "5, and the gain is 30". */
const isProse = (text: string): boolean => {
  const words = text.match(WORDS)?.length ?? 0;
  return !text.includes('\\') && (/^\d/.test(text) ? words > 0 : !/[\^_={}]/.test(text) && words > 1);
};

/**
 * Whether a text between dollars is a formula, by the rules of pandoc: no space inside, no digit after. Beyond them a letter may only follow
 * as in `$n$th`, so that `$HOME/bin:$PATH` stays as it is.
 */
export function isFormula(text: string, after: string): boolean {
  if (text === '' || text.trim() !== text || /^\d/.test(after) || isProse(text)) return false;
  return !/^[A-Za-z_{]/.test(after) || (/[\w})]$/.test(text) && /^(?:th|st|nd|rd|s)(?![A-Za-z])/.test(after));
}

/** Longest text after a formula that decides about it. */
const AFTER = 4;

/** `$…$` and `$$…$$` within a line of text. The first dollar that is not escaped ends it, or there is no formula. */
const tokenizeDollars: Tokenizer = (effects, ok, nok) => {
  let text = '';
  let after = '';
  let size = 0;
  let closed = 0;
  const open: State = (code) => {
    if (code === DOLLAR && size < 2) {
      effects.consume(code);
      size += 1;
      return open;
    }
    effects.exit('formulaMark');
    if (code === DOLLAR || (size === 1 && isSpace(code))) return nok(code);
    return between(code);
  };
  const between: State = (code) => {
    if (code === null || code === BACKTICK) return nok(code);
    if (code === DOLLAR) {
      effects.enter('formulaMark');
      closed = 0;
      return close(code);
    }
    if (isLineEnding(code)) {
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      text += '\n';
      return between;
    }
    effects.enter('formulaData');
    return data(code);
  };
  const data: State = (code) => {
    if (code === null || code === DOLLAR || code === BACKTICK || isLineEnding(code)) {
      effects.exit('formulaData');
      return between(code);
    }
    effects.consume(code);
    text += code < 0 ? ' ' : String.fromCodePoint(code);
    return code === BACKSLASH ? escaped : data;
  };
  const escaped: State = (code) => {
    if (code === null || code < 0) return data(code);
    effects.consume(code);
    text += String.fromCodePoint(code);
    return data;
  };
  const close: State = (code) => {
    if (code === DOLLAR && closed < size) {
      effects.consume(code);
      closed += 1;
      return close;
    }
    effects.exit('formulaMark');
    if (closed < size) return nok(code);
    effects.exit('formula');
    return effects.check({ tokenize: lookAhead }, ok, nok)(code);
  };
  const lookAhead: Tokenizer = (ahead, follows, differs) => {
    const decide: State = (code) =>
      (size === 2 ? text.trim() !== '' : isFormula(text, after)) ? follows(code) : differs(code);
    const look: State = (code) => {
      if (code !== null && code > 0 && after.length < AFTER) {
        after += String.fromCodePoint(code);
        ahead.consume(code);
        return look;
      }
      ahead.exit('formulaAfter');
      return decide(code);
    };
    return (code) => {
      if (code === null || code < 0) return decide(code);
      ahead.enter('formulaAfter');
      return look(code);
    };
  };
  return (code) => {
    effects.enter('formula');
    effects.enter('formulaMark');
    return open(code);
  };
};

/** `\(…\)` and `\[…\]` within a line of text. */
const tokenizeBrackets: Tokenizer = (effects, ok, nok) => {
  let opener: Code = null;
  const begin: State = (code) => {
    effects.enter('formula');
    effects.enter('formulaMark');
    effects.consume(code);
    return bracket;
  };
  const bracket: State = (code) => {
    if (!CLOSERS.has(code)) return nok(code);
    opener = code;
    effects.consume(code);
    effects.exit('formulaMark');
    return between;
  };
  const between: State = (code) => {
    if (code === null) return nok(code);
    if (code === BACKSLASH) return effects.attempt({ tokenize: closes, partial: true }, ended, pair)(code);
    if (isLineEnding(code)) {
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      return between;
    }
    effects.enter('formulaData');
    return data(code);
  };
  const data: State = (code) => {
    if (code === null || code === BACKSLASH || isLineEnding(code)) {
      effects.exit('formulaData');
      return between(code);
    }
    effects.consume(code);
    return data;
  };
  const closes: Tokenizer = (part, isClosed, isNot) => {
    part.enter('formulaMark');
    return (code) => {
      part.consume(code);
      return (next) => {
        if (next !== CLOSERS.get(opener)) return isNot(next);
        part.consume(next);
        part.exit('formulaMark');
        return isClosed;
      };
    };
  };
  /** A backslash and what it escapes. Formulas are not nested: another beginning means that the first was none. */
  const pair: State = (code) => {
    effects.enter('formulaData');
    effects.consume(code);
    return (next) => {
      if (next === opener) return nok(next);
      if (next === null || isLineEnding(next)) {
        effects.exit('formulaData');
        return between(next);
      }
      effects.consume(next);
      return data;
    };
  };
  const ended: State = (code) => {
    effects.exit('formula');
    return ok(code);
  };
  return begin;
};

/** The syntax of formulas in text. Displayed ones on lines of their own are fences, see `fenceFormulas`. */
export const formulaSyntax: Extension = {
  text: {
    [DOLLAR]: {
      name: 'formula',
      tokenize: tokenizeDollars,
      previous: (code) => code !== DOLLAR && !isDigit(code) && !isLetter(code),
    } satisfies Construct,
    [BACKSLASH]: { name: 'formula', tokenize: tokenizeBrackets } satisfies Construct,
  },
};

/** KaTeX takes a percent sign for the beginning of a comment, and models mean percent. */
export const withoutComments = (formula: string): string => formula.replaceAll(/(?<!\\)%/g, '\\%');

function exitFormula(this: CompileContext, token: Token): void {
  const value = withoutComments(this.resume());
  const node = this.stack.at(-1);
  if (node?.type === 'inlineCode') node.value = value;
  this.exit(token);
}

function enterFormula(this: CompileContext, token: Token): void {
  const isDisplayed = ['$$', '\\['].includes(this.sliceSerialize(token).slice(0, 2));
  const className = ['language-math', isDisplayed ? 'math-display' : 'math-inline'];
  this.enter({ type: 'inlineCode', value: '', data: { hProperties: { className } } }, token);
  this.buffer();
}

function formulaData(this: CompileContext, token: Token): void {
  this.config.enter.data?.call(this, token);
  this.config.exit.data?.call(this, token);
}

/** Formulas as inline code with the classes that KaTeX draws. */
export const formulaNodes = {
  enter: { formula: enterFormula },
  exit: { formula: exitFormula, formulaData },
} as unknown as FromMarkdown;
