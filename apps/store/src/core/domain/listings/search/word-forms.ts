/** Most forms of a word that are looked up. */
const MAX_FORMS = 40;

const MIN_LETTERS = 3;

/** Forms that no rule makes: each line is one word. */
const IRREGULAR: readonly (readonly string[])[] = [
  'take takes taking took taken',
  'make makes making made maker makers',
  'write writes writing wrote written writer writers',
  'send sends sending sent sender',
  'buy buys buying bought buyer',
  'find finds finding found finder',
  'draw draws drawing drew drawn drawings',
  'speak speaks speaking spoke spoken speaker speech',
  'read reads reading reader readers',
  'build builds building built builder',
  'keep keeps keeping kept keeper',
  'meet meets meeting met meetings',
  'pay pays paying paid payment payments payslip',
  'sell sells selling sold seller sale sales',
  'think thinks thinking thought thoughts',
  'learn learns learning learnt learned learner',
  'spell spells spelling spelt speller',
  'transcribe transcribes transcribing transcription transcriptions transcript transcripts',
  'child children',
  'person people persons',
  'mouse mice',
  'index indexes indices',
  'photo photos photograph photographs photography photographer',
  'analyse analyze analysis analyses analytics analyst',
  'colour color colours colors colouring coloring',
].map((line) => line.split(' '));

const BY_FORM = new Map(IRREGULAR.flatMap((forms) => forms.map((form) => [form, forms] as const)));

const isLatin = (word: string): boolean => /^[a-z]+$/.test(word);

/** Endings and what a word without them may end with: `planning` is `plan` or `planne`, `tries` is `try`. */
const ENDINGS: readonly (readonly [ending: string, ...instead: string[]])[] = [
  ['ies', 'y', 'ie'],
  ['ied', 'y'],
  ['ations', 'ate', 'e', ''],
  ['ation', 'ate', 'e', ''],
  ['ators', 'ate'],
  ['ator', 'ate'],
  ['ments', ''],
  ['ment', ''],
  ['ions', '', 'e'],
  ['ion', '', 'e'],
  ['ings', '', 'e'],
  ['ing', '', 'e'],
  ['ers', '', 'e'],
  ['ors', '', 'e'],
  ['ed', '', 'e'],
  ['er', '', 'e'],
  ['or', '', 'e'],
  ['es', '', 'e'],
  ['en', '', 'e'],
  ['s', ''],
  ['e', ''],
  ['n', ''],
];

/** `plann` is `plan`: a final consonant is doubled before an ending. */
const single = (word: string): string[] => (/([bdfgklmnprtvz])\1$/.test(word) ? [word.slice(0, -1)] : []);

/** What a word may be without its ending, the longest first; the word itself when it has none. */
function basesOf(word: string): readonly string[] {
  if (/ss$|us$|is$/.test(word)) return [word];
  const bases = ENDINGS.filter(([ending]) => word.endsWith(ending)).flatMap(([ending, ...instead]) => {
    const rest = word.slice(0, -ending.length);
    return instead.flatMap((end) => [rest + end, ...(end === '' ? single(rest) : [])]);
  });
  const long = [...new Set(bases)].filter((base) => base.length >= MIN_LETTERS);
  return [word, ...long.sort((a, b) => b.length - a.length)];
}

function withEndings(base: string): string[] {
  const rest = base.slice(0, -1);
  if (base.endsWith('e'))
    return [
      base,
      ...['es', 'ed', 'ing', 'er', 'ers', 'or', 'ion', 'en', 'ation', 'ations'].map((end) => rest + end),
    ];
  if (/[^aeiou]y$/.test(base)) return [base, `${rest}ies`, `${rest}ied`, `${base}ing`, `${rest}ier`];
  const stem = /[^aeiou][aeiou][bdgklmnprt]$/.test(base) ? [base, base + base.slice(-1)] : [base];
  const plural = /(?:s|x|z|ch|sh)$/.test(base) ? 'es' : 's';
  const inflected = stem.flatMap((part) => ['ing', 'ed', 'er', 'ers'].map((end) => part + end));
  return [
    base,
    base + plural,
    ...inflected,
    ...['or', 'ment', 'ion', 'ation', 'ations', 'e', 'en'].map((end) => base + end),
  ];
}

/** Words that a rule makes of others, as `not` of `notes`, and that most texts have. */
const NO_FORMS: ReadonlySet<string> = new Set(
  'are but can for had has her his not our she the was you'.split(' '),
);

/**
 * Other forms of a word in Latin letters, by the endings of English and the plurals of German, French and Spanish: `taking` for `take`,
 * `planner` for `planning`. Some are no words; those are in no text either. Words of three letters and more.
 */
export function formsOf(word: string): Set<string> {
  if (!isLatin(word) || word.length < MIN_LETTERS) return new Set();
  const irregular = BY_FORM.get(word) ?? [];
  const [own, ...bases] = basesOf(word);
  const inflected = bases.length > 0 ? [`${own}s`, ...bases.flatMap(withEndings)] : withEndings(word);
  const all = new Set([...irregular, ...inflected]);
  all.delete(word);
  return new Set([...all.difference(NO_FORMS)].slice(0, MAX_FORMS + irregular.length));
}

/** The part of a Cyrillic or Greek word that its endings leave: `заметк` of `заметки`; null for other and for short words. */
export function inflectedStem(word: string): string | null {
  if (!/^[\p{sc=Cyrl}\p{sc=Grek}]{5,}$/u.test(word)) return null;
  return word.replace(/[аеиоуыэюяйьіїєαεηιουωςσ]{1,2}$/u, '');
}
