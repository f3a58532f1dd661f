import obfuscator from 'javascript-obfuscator';

const TABLE = { stringArray: true, stringArrayThreshold: 1 };
/** No string table, and names as short as a minifier's: only one transformation is left to detect. */
const SHORT = { stringArray: false, identifierNamesGenerator: 'mangled' };

/** Settings of javascript-obfuscator, by technique. */
export const SETTINGS: Readonly<Record<string, object>> = {
  default: {},
  low: { optionsPreset: 'low-obfuscation' },
  medium: { optionsPreset: 'medium-obfuscation' },
  high: { optionsPreset: 'high-obfuscation' },
  'without a table': { stringArray: false },
  'short names alone': SHORT,
  'shuffled names alone': { ...SHORT, identifierNamesGenerator: 'mangled-shuffled', renameGlobals: true },
  'table, short names': { ...TABLE, identifierNamesGenerator: 'mangled' },
  'table, shuffled names': { ...TABLE, identifierNamesGenerator: 'mangled-shuffled', renameGlobals: true },
  'table, names of a dictionary': {
    ...TABLE,
    identifierNamesGenerator: 'dictionary',
    identifiersDictionary: ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma'],
  },
  base64: { ...TABLE, stringArrayEncoding: ['base64'], identifierNamesGenerator: 'mangled' },
  rc4: { ...TABLE, stringArrayEncoding: ['rc4'], identifierNamesGenerator: 'mangled' },
  'mixed encodings': { ...TABLE, stringArrayEncoding: ['none', 'base64', 'rc4'] },
  'table as it is': {
    ...TABLE,
    stringArrayRotate: false,
    stringArrayShuffle: false,
    identifierNamesGenerator: 'mangled',
  },
  'transformed calls': {
    ...TABLE,
    stringArrayCallsTransform: true,
    stringArrayCallsTransformThreshold: 1,
    identifierNamesGenerator: 'mangled',
  },
  'wrapped in variables': {
    ...TABLE,
    stringArrayWrappersCount: 3,
    stringArrayWrappersType: 'variable',
    identifierNamesGenerator: 'mangled',
  },
  'wrapped in functions': {
    ...TABLE,
    stringArrayWrappersCount: 5,
    stringArrayWrappersType: 'function',
    stringArrayWrappersChainedCalls: true,
    identifierNamesGenerator: 'mangled-shuffled',
  },
  'flattened control flow': { ...SHORT, controlFlowFlattening: true, controlFlowFlatteningThreshold: 1 },
  'dead code': {
    deadCodeInjection: true,
    deadCodeInjectionThreshold: 1,
    identifierNamesGenerator: 'mangled',
  },
  'self-defending': { ...SHORT, selfDefending: true },
  'debug protection': { ...SHORT, debugProtection: true, debugProtectionInterval: 2000 },
  'silent console': { ...SHORT, disableConsoleOutput: true },
  'split strings': { ...SHORT, splitStrings: true, splitStringsChunkLength: 3 },
  'unicode escapes': { ...SHORT, unicodeEscapeSequence: true },
  'object keys': { ...SHORT, transformObjectKeys: true },
  'numbers as sums': { ...SHORT, numbersToExpressions: true, simplify: true },
  'not compact': { ...SHORT, compact: false, simplify: false },
  'locked to a domain': { ...SHORT, domainLock: ['example.com'] },
  'part of the strings': {
    stringArray: true,
    stringArrayThreshold: 0.3,
    identifierNamesGenerator: 'mangled',
  },
};

/** The output of javascript-obfuscator, the same for the same seed. Throws on a syntax error. */
export function obfuscate(source: string, setting: string, seed: number): string {
  return obfuscator.obfuscate(source, { seed, ...SETTINGS[setting] }).getObfuscatedCode();
}

const codesOf = (source: string): number[] => [...source].map((character) => character.charCodeAt(0));
const base64 = (source: string): string => Buffer.from(source, 'utf8').toString('base64');
const escaped = (source: string, prefix: string): string =>
  codesOf(source)
    .map((code) => prefix + code.toString(16).padStart(2, '0'))
    .join('');

/** Dean Edwards' packer: words become numbers in base 36, and a loop restores them. */
function pack(source: string): string {
  const words = [...new Set(source.match(/\b\w+\b/g) ?? [])];
  const packed = source.replace(/\b\w+\b/g, (word) => words.indexOf(word).toString(36));
  const unpack = "while(c--)if(k[c])p=p.replace(new RegExp('\\\\b'+e(c)+'\\\\b','g'),k[c]);return p";
  return `eval(function(p,a,c,k,e,d){e=function(c){return c.toString(36)};${unpack}}(${JSON.stringify(packed)},36,${words.length},'${words.join('|')}'.split('|'),0,{}))`;
}

/** Letters with a short expression of six characters; all others use `toString`. */
const SIX: Readonly<Record<string, string>> = {
  a: '(![]+[])[+!+[]]',
  d: '([][[]]+[])[!+[]+!+[]]',
  e: '(!![]+[])[!+[]+!+[]+!+[]]',
  f: '(![]+[])[+[]]',
  i: '([![]]+[][[]])[+!+[]+[+[]]]',
  l: '(![]+[])[!+[]+!+[]]',
  n: '([][[]]+[])[+!+[]]',
  r: '(!![]+[])[+!+[]]',
  s: '(![]+[])[!+[]+!+[]+!+[]]',
  t: '(!![]+[])[+[]]',
  u: '([][[]]+[])[+[]]',
};
const sixDigit = (digit: number): string => (digit === 0 ? '+[]' : Array(digit).fill('!+[]').join('+'));

/** A small JSFuck: every character becomes an expression of `[]()!+`. */
function sixCharacters(source: string): string {
  return codesOf(source)
    .map((code) => {
      const number = [...String(code)].map((digit) => `[${sixDigit(Number(digit))}]`).join('+');
      return SIX[String.fromCharCode(code)] ?? `(+(${number}))[${SIX.t}+${SIX.s}+${SIX.i}](${sixDigit(3)})`;
    })
    .join('+');
}

/** The digits of jjencode, by their value. */
const SIGNS = '___ __$ _$_ _$$ $__ $_$ $$_ $$$ $___ $__$ $_$_ $_$$ $$__ $$_$ $$$_ $$$$'.split(' ');

/** jjencode: all letters and digits are members of one object, with names of signs. */
function signs(source: string): string {
  const start =
    '$=~[];$={___:++$,$$$$:(![]+"")[$],__$:++$,$_$_:(![]+"")[$],_$_:++$,$_$$:({}+"")[$],$$_$:($[$]+"")[$],_$$:++$,$$$_:(!""+"")[$],$__:++$,$_$:++$,$$__:({}+"")[$],$$_:++$,$$$:++$,$___:++$,$__$:++$};$.$_=($.$_=$+"")[$.$_$]+($._$=$.$_[$.__$])+($.$$=($.$+"")[$.__$])+((!$)+"")[$._$$]+($.__=$.$_[$.$$_])+($.$=(!""+"")[$.__$])+($._=(!""+"")[$._$_])+$.$_[$.$_$]+$.__+$._$+$.$;$.$$=$.$+(!""+"")[$._$$]+$.__+$._+$.$+$.$$;$.$=($.___)[$.$_][$.$_];';
  const body = codesOf(source)
    .map((code) => `"\\\\"+${[...code.toString(8)].map((digit) => `$.${SIGNS[Number(digit)]}`).join('+')}`)
    .join('+');
  return `${start}$.$($.$($.$$+"\\""+${body}+"\\"")())();`;
}

/** aaencode: the same with emoticons. */
function faces(source: string): string {
  const digits = [
    '(c^_^o)',
    '(ﾟΘﾟ)',
    '((o^_^o) - (ﾟΘﾟ))',
    '(o^_^o)',
    '(ﾟｰﾟ)',
    '((ﾟｰﾟ) + (ﾟΘﾟ))',
    '((o^_^o) +(o^_^o))',
    '((ﾟｰﾟ) + (o^_^o))',
  ];
  const start =
    "ﾟωﾟﾉ= /｀ｍ´）ﾉ ~┻━┻   //*´∇｀*/ ['_']; o=(ﾟｰﾟ)  =_=3; c=(ﾟΘﾟ) =(ﾟｰﾟ)-(ﾟｰﾟ); (ﾟДﾟ) =(ﾟΘﾟ)= (o^_^o)/ (o^_^o);(ﾟДﾟ)={ﾟΘﾟ: '_' ,ﾟωﾟﾉ : ((ﾟωﾟﾉ==3) +'_') [ﾟΘﾟ] ,ﾟｰﾟﾉ :(ﾟωﾟﾉ+ '_')[o^_^o -(ﾟΘﾟ)] ,ﾟДﾟﾉ:((ﾟｰﾟ==3) +'_')[ﾟｰﾟ] };";
  const body = codesOf(source)
    .map((code) => `(ﾟДﾟ)[ﾟεﾟ]+${[...code.toString(8)].map((digit) => digits[Number(digit)]).join('+ ')}`)
    .join('+ ');
  return `${start} (ﾟДﾟ) ['_'] ( (ﾟДﾟ) ['_'] (ﾟεﾟ+(ﾟДﾟ)[ﾟoﾟ]+ ${body}+ (ﾟДﾟ)[ﾟoﾟ]) (ﾟΘﾟ)) ('_');`;
}

/** Names and texts in pieces: `window['al' + 'ert']('hel' + 'lo')`. */
function concatenate(source: string): string {
  const pieces = (text: string): string =>
    (text.match(/.{1,3}/g) ?? []).map((piece) => `'${piece}'`).join('+');
  return source
    .replace(/'([\w ]{4,})'/g, (_whole, text: string) => pieces(text))
    .replace(/\.([a-zA-Z]{4,})\b/g, (_whole, name: string) => `[${pieces(name)}]`);
}

/** An obfuscator of 2018: a table of escaped texts at the start, rotated by a counter. */
function oldTable(source: string): string {
  const texts: string[] = [];
  const body = source.replace(/\.([a-zA-Z]{3,})\b/g, (_whole, name: string) => {
    texts.push(escaped(name, '\\x'));
    return `[_0x4f1c('0x${(texts.length - 1).toString(16)}')]`;
  });
  const table = `var _0x3b2e=[${texts.map((text) => `'${text}'`).join(',')}];`;
  const turn =
    "(function(_0x1d8a,_0x2c37){var _0x5e0b=function(_0x39f1){while(--_0x39f1){_0x1d8a['push'](_0x1d8a['shift']());}};_0x5e0b(++_0x2c37);}(_0x3b2e,0x1b3));";
  return `${table}${turn}var _0x4f1c=function(_0x2a6d){_0x2a6d=_0x2a6d-0x0;var _0x58c4=_0x3b2e[_0x2a6d];return _0x58c4;};${body}`;
}

/** Renames all declarations of a source to names of `I` and `l`. */
function lookAlike(source: string): string {
  const names = new Set(
    [...source.matchAll(/\b(?:const|let|var|function)\s+(\w+)/g)].map(([, name = '']) => name),
  );
  const made = [...names].map((name, at): [string, string] => [
    name,
    `l${(at + 32).toString(2).replaceAll('0', 'I').replaceAll('1', 'l')}1`,
  ]);
  const madeOf = new Map(made);
  return source.replace(/\b\w+\b/g, (word) => madeOf.get(word) ?? word);
}

/** Other packers and encoders, each in a small version. */
export const KIN: Readonly<Record<string, (source: string) => string>> = {
  packer: pack,
  'six characters': sixCharacters,
  jjencode: signs,
  aaencode: faces,
  'old table': oldTable,
  'concatenated members': concatenate,
  'eval of atob': (source) => `eval(atob("${base64(source)}"))`,
  'eval by another name': (source) =>
    `var a="${base64(source)}",b=window["eval"];(0,window["ev"+"al"])(window["at"+"ob"](a))`,
  'eval of a decoded variable': (source) => `var d=atob("${base64(source)}");eval(d)`,
  'Function of character codes': (source) =>
    `new Function(String.fromCharCode(${codesOf(source).join(',')}))()`,
  'Function of mapped codes': (source) =>
    `Function([${codesOf(source).join(',')}].map(function(c){return String.fromCharCode(c)}).join(""))()`,
  'reversed text': (source) =>
    `eval(${JSON.stringify([...source].reverse().join(''))}.split("").reverse().join(""))`,
  'written unescaped': (source) =>
    `document.write(unescape('${escaped(`<script>${source}</script>`, '%')}'))`,
  'constructor of a constructor': (source) =>
    `[]["filter"]["constructor"](decodeURIComponent("${escaped(source, '%')}"))()`,
  'escaped text': (source) => `var s="${escaped(source, '\\x')}";setTimeout(s,1)`,
  'look-alike names': lookAlike,
};
