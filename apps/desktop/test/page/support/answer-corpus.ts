import { numbersFrom } from '@svc/testkit';

/** A piece of an answer: what the model wrote, and what a reader must see, without spaces; formulas in ⟦⟧. */
type Piece = readonly [written: string, shown: string];

type Pick = <Value>(of: readonly Value[]) => Value;

const NAMES = ['parser', 'cache', 'worker', 'session', 'router', 'ledger'];
const TYPES = [
  'List<String>',
  'Map<K, V>',
  'Vec<Option<u8>>',
  'std::vector<std::string>',
  'Promise<void>',
  'Array<number>',
];
const TAGS = [
  '<div>',
  '<Button>',
  '<url>',
  '<stdio.h>',
  '<your-name>',
  '<input type="text" placeholder="a*b*c">',
  '</section>',
];
const PROSE = [
  'The two versions differ in how they free memory.',
  'Start with the smallest case, then generalise.',
  'Nothing else has to change — the interface stays.',
  'That said, measure before you optimise…',
  'Note that “done” here means *stored*, not *sent*.',
];
const FORMULAS = [
  'x^2 + y^2',
  'a_1 * b_2 * c_3',
  '\\frac{n(n+1)}{2}',
  'E = mc^2',
  '\\sum_{i=1}^{n} i',
  'p < q',
  '\\mathbb{R}',
];
const PRICES = [
  'It costs $5 and later $10.',
  'Between $35–$50/psf and $20/psf.',
  'US$1,200 or A$1,800 a year.',
  'Set $HOME/bin:$PATH first.',
  'From $5 to 10$, that is all.',
  'Plan A (=$5) or plan B (=$10).',
];

const plain = (text: string): string => text.replaceAll('*', '');
const both = (text: string): Piece => [text, text];

/** What models write, by kind. Each kind was reported as lost or changed by some client. */
const KINDS: Record<string, (pick: Pick) => Piece> = {
  prose: (pick) => {
    const said = pick(PROSE);
    return [said, plain(said)];
  },
  heading: (pick) => {
    const said = `${pick(['', '✅ ', '1. '])}The ${pick(NAMES)}`;
    return [`${pick(['##', '###', '####'])} ${said}`, said];
  },
  generics: (pick) => both(`Use ${pick(TYPES)} for the ${pick(NAMES)}, and wrap it in a ${pick(TAGS)}.`),
  tagFirst: (pick) => both(`${pick(TAGS)} is replaced by the ${pick(NAMES)}.`),
  htmlBlock: (pick) =>
    both(`<div class="${pick(NAMES)}">\n  <h2>A*B*C</h2>\n  <p>1 < 2 && 3 > 2</p>\n</div>`),
  comment: () => both('<!-- TODO: *check* this -->'),
  unknownTag: () => ['<plan>\nFirst the **cache**.\n</plan>', '<plan>First the cache.</plan>'],
  breaks: () => ['one<br>two<br/>three\nfour', 'one two three four'],
  price: (pick) => both(pick(PRICES)),
  boldPrice: () => ['It is **$4**, then **$1.50** for a bundle.', 'It is $4, then $1.50 for a bundle.'],
  mathDollar: (pick) => {
    const formula = pick(FORMULAS);
    return [`So $${formula}$ holds, for the $n$th time.`, `So ⟦${formula}⟧ holds, for the ⟦n⟧th time.`];
  },
  mathRound: (pick) => {
    const formula = pick(FORMULAS);
    return [`So \\(${formula}\\) holds; it costs $5.`, `So ⟦${formula}⟧ holds; it costs $5.`];
  },
  mathDisplay: (pick) => {
    const formula = pick(FORMULAS);
    const lines = pick([
      `\\[\n${formula}\n\\]`,
      `$$\n${formula}\n$$`,
      `\\[ ${formula} \\]`,
      `$$${formula}$$`,
    ]);
    return [`We get\n${lines}\nas promised.`, `We get ⟦${formula}⟧ as promised.`];
  },
  mathAligned: () => [
    '\\[\n\\begin{aligned}\na &= b \\\\[2pt]\n- c\n=\n+ d\n\\end{aligned}\n\\]',
    '⟦\\begin{aligned} a &= b \\\\[2pt] - c = + d \\end{aligned}⟧',
  ],
  mathInList: (pick) => {
    const formula = pick(FORMULAS);
    return [`1. First:\n   $$\n   ${formula}\n   $$\n2. Then \\(k\\).`, `First: ⟦${formula}⟧ Then ⟦k⟧.`];
  },
  mathPercent: () => ['A share of \\(50% + 5%\\) is left.', 'A share of ⟦50\\% + 5\\%⟧ is left.'],
  tildes: () => both('Takes 5~10 minutes, or 20~30 for all, see you~'),
  struck: () => ['This is ~~gone~~ now.', 'This is gone now.'],
  stars: () => both('2*3*4 is 24; src/*.js, test/*.js and *.py are files.'),
  dunder: () => both('Override __init__ and __repr__(self) in it.'),
  cjkBold: () => ['**「強調」**の後、**重要。**次に*注意*を。', '「強調」の後、重要。次に注意を。'],
  cjkAddress: () => [
    '请看 https://a.example/x。然后（https://b.example/y）继续',
    '请看 https://a.example/x。然后（https://b.example/y）继续',
  ],
  hangulAddress: () => both('자세한 내용은 https://a.example/x를 참고하세요.'),
  cjkTilde: () => both('价格10~20元，数量30~40个。'),
  cjkMath: () => ['设$x$为实数，$y$的值是3。', '设⟦x⟧为实数，⟦y⟧的值是3。'],
  arabic: () => ['`./run.sh -v` ثم أعد **تشغيل** الخادم.', './run.sh -v ثم أعد تشغيل الخادم.'],
  hebrewList: () => ['- פריט ראשון\n- item two\n- פריט שלישי', 'פריט ראשון item two פריט שלישי'],
  nested: (pick) => {
    const name = pick(NAMES);
    return [
      `1. Open the ${name}\n   - read it\n     - twice\n   - close it\n2. Done\n\n   \`\`\`sh\n   ls *.c\n   \`\`\`\n\n3. After`,
      `Open the ${name} read it twice close it Done ls *.c After`,
    ];
  },
  countdown: () => ['3. three\n2. two\n1. one', 'three two one'],
  tasks: () => ['- [x] written\n- [ ] tested', 'written tested'],
  tableInList: () => [
    '- Sizes:\n\n  | name | size |\n  |---|---|\n  | a | 1 |\n\n- Next',
    'Sizes: name size a 1 Next',
  ],
  table: () => [
    '| Type | What | Cost |\n|:--|:-:|--:|\n| `a \\| b` | one<br>two | $5 |\n| $|x|$ | **b** | $6 | extra |',
    'Type What Cost a | b one two $5 ⟦\\vert{}x\\vert{}⟧ b $6 extra',
  ],
  code: (pick) => {
    const code = 'const a: Map<K, V> = b * c * $d; // $e$ \\(f\\) \\[g\\]\n\n# <div>';
    const [info, caption] = pick([
      ['ts', ''],
      ['python', ''],
      ['', ''],
      ['js title="app.js"', 'js title="app.js"'],
    ]);
    return [`\`\`\`${info}\n${code}\n\`\`\``, `${caption} ${code}`];
  },
  fourMarks: () => ['````md\n```js\n1\n```\n````', '```js 1 ```'],
  inlineCode: () => ['Call `a*b*c`, `$x$` and ``a `b` c``.', 'Call a*b*c, $x$ and a `b` c.'],
  quote: () => ['> He said **no**.\n> > And she `yes`.', 'He said no. And she yes.'],
  unused: (pick) => both(`[${pick(NAMES)}]: https://a.example/unused`),
  optional: () => both('[Optional]: bring a hat'),
  link: () => [
    'See [the docs](https://a.example/docs) and [the file](./src/a.ts).',
    'See the docs and the file (./src/a.ts).',
  ],
  address: () => both('Go to https://a.example/x_y_z?a=1&b=2, or mail help@a.example.'),
  picture: () => ['![A plot](https://a.example/p.png)', '[A plot]'],
  entities: () => ['5 &lt; 6 &amp; 7 &copy; me', '5 < 6 & 7 © me'],
  escapes: () => ['\\*not emphasis\\* and 1\\. no list', '*not emphasis* and 1. no list'],
  rule: () => ['***', ''],
};

const INLINE = [
  'prose',
  'generics',
  'price',
  'boldPrice',
  'mathDollar',
  'mathRound',
  'tildes',
  'stars',
  'dunder',
  'link',
  'inlineCode',
];
const MATHS = Object.keys(KINDS).filter((kind) => kind.startsWith('math'));
const BESIDE_CJK = Object.keys(KINDS).filter((kind) => /^(?:cjk|hangul)/.test(kind));

/** How six families of models write: how an answer begins, what it likes, and how it marks the items of a list. */
const VOICES = [
  {
    opening: '## ✅ Short answer',
    shown: '✅ Short answer',
    likes: ['mathRound', 'mathDisplay', 'table'],
    item: '- **Note:** ',
  },
  {
    opening: "I'll walk through this.",
    shown: "I'll walk through this.",
    likes: ['htmlBlock', 'code'],
    item: '- ',
  },
  {
    opening: '***\n\nHere is a breakdown:',
    shown: 'Here is a breakdown:',
    likes: MATHS,
    item: '*   **Note:** ',
  },
  { opening: '好的，我们来看。', shown: '好的，我们来看。', likes: [...BESIDE_CJK, ...MATHS], item: '1. ' },
  {
    opening: '---\n### **一、结论**',
    shown: '一、结论',
    likes: [...BESIDE_CJK, 'table'],
    item: '* **Note**：',
  },
  { opening: 'Sure! Here you go 😊', shown: 'Sure! Here you go 😊', likes: INLINE, item: '+ ' },
] as const;

/** Pieces of an answer between its opening and its list. */
const PIECES = 8;

/** An answer in the manner of one of six models: what it wrote, and what a reader must see. The same number gives the same answer. */
export function answerOf(number: number): { written: string; shown: string } {
  const next = numbersFrom(number + 1);
  const pick: Pick = (of) => of[Math.floor(next() * of.length)] as (typeof of)[number];
  const voice = VOICES[number % VOICES.length] as (typeof VOICES)[number];
  const kinds = Object.keys(KINDS);
  const of = (kind: string): Piece => (KINDS[kind] ?? KINDS.prose)?.(pick) ?? ['', ''];
  const pieces = Array.from({ length: PIECES }, () => of(pick(next() < 0.4 ? voice.likes : kinds)));
  const items = Array.from({ length: 3 }, () => of(pick(INLINE)));
  const label = voice.item.replaceAll(/[*+-]|1\./g, '');
  const note = number % 3 === 0;
  const name = pick(NAMES);
  return {
    written: [
      voice.opening,
      ...pieces.map(([written]) => written),
      'In short:',
      items.map(([written]) => voice.item + written).join('\n'),
      ...(note ? [`A claim[^${name}].\n\n[^${name}]: The source.`] : ['Done.']),
    ].join('\n\n'),
    shown: [
      voice.shown,
      ...pieces.map(([, shown]) => shown),
      'In short:',
      ...items.map(([, shown]) => label + shown),
      note ? 'A claim1. The source.' : 'Done.',
    ].join(' '),
  };
}
