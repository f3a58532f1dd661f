import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The payloads of DOMPurify's own tests, by cure53; many are from the HTML5 Security Cheatsheet. */
const PUBLIC: { payload: string }[] = require('dompurify-fixtures/test/fixtures/expect.js');

/** Hostile targets of links and images, disguised in different ways. */
const ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  '\u00a0javascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript&#x3a;alert&lpar;1&rpar;',
  '&#106;avascript:alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script:alert(1)',
  'javascript\\:alert(1)',
  'javascript%3Aalert(1)',
  'javascript://example.com/%0aalert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  'blob:https://example.com/a',
  'file:///etc/passwd',
  'view-source:https://example.com',
  '//example.com/a.js',
  '\\\\example.com\\a.js',
  '/api/people/sign-out',
  '#main',
  '?next=x',
  'http://example.com/plain',
  'https:example.com',
  'https://store.test@example.com/',
  'https://example.com/"onmouseover="alert(1)',
  "https://example.com/'onmouseover='alert(1)",
  'https://example.com/`onmouseover=`alert(1)',
  'https://example.com/><script>alert(1)</script>',
  'https://example.com/ "title"onload="alert(1)',
  'mailto:a@example.com?body=<script>alert(1)</script>',
  'mailto:"onclick=alert(1)//"@example.com',
];

/** Texts whose markup different parsers read differently. */
const TEXTS = [
  '<a href="`x`"`><img src=x onerror=alert(1)>',
  '`<img src=x onerror=alert(1)>',
  '``` "><img src=x onerror=alert(1)>\n```',
  '```"onload="alert(1)\nx\n```',
  '<!-- --!> <img src=x onerror=alert(1)> -->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml <img src=x onerror=alert(1)> ?>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;img src=x onerror=alert(1)&amp;gt;',
  '\\<script>alert(1)\\</script>',
  '<script\n>alert(1)</script\n>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '</section></main></body></html><script>alert(1)</script>',
  '<form id=f action=https://example.com><button form=f>x</button>',
  '<style>@import "https://example.com/a.css";</style>',
  '<meta http-equiv=refresh content="0;url=https://example.com/">',
  '<base href=https://example.com/><link rel=prefetch href=https://example.com/>',
  '| <img src=x onerror=alert(1)> |\n|:-"onload="alert(1)|\n| x |',
  '[a]: https://example.com/ "x\\" onclick=\\"alert(1)"\n\n[a] ![a]',
  '![<img src=x onerror=alert(1)>](https://example.com/a.png "\\"onload=alert(1)")',
  '[![x](javascript:alert(1))](javascript:alert(2))',
  '[<img src=x onerror=alert(1)>](https://example.com "<script>alert(1)</script>")',
  '1. <img src=x onerror=alert(1)>\n\n9999999999"onload=alert(1). x',
  'https://example.com/"><img/src=x/onerror=alert(1)>',
  'https://example.com/<svg/onload=alert(1)>',
  '<https://example.com/"onclick=alert(1)>',
  '<javascript:alert(1)>',
  '\u0000<script>alert(1)</script>\ufeff\u2028\u202e',
  '\ud800<img src=x onerror=alert(1)>',
];

/** Further attacks, from a file with a JSON array of texts: for corpora that may not be stored in this repository. */
const more = (file = process.env.SVC_TEST_ATTACKS): string[] =>
  file === undefined ? [] : JSON.parse(readFileSync(file, 'utf8'));

/** Puts an attack into each place of a Markdown text where it could work. */
const wrapped = (attack: string): string[] => [
  attack,
  `[x](${attack})`,
  `[x](<${attack}>)`,
  `![${attack}](${attack})`,
  `<${attack}>`,
  `[a]\n\n[a]: ${attack}`,
  `# ${attack}\n\n| ${attack} |\n|-|\n| ${attack} |\n\n- > ${attack}`,
  `\`\`\`${attack}\n${attack}\n\`\`\`\n\n\`${attack}\``,
];

/** All attacks, without surrounding text. */
export const ATTACKS: readonly string[] = [
  ...PUBLIC.map(({ payload }) => payload),
  ...TEXTS,
  ...ADDRESSES,
  ...more(),
];

/** All attacks, in each place of a text. */
export const ATTACKING_TEXTS: readonly string[] = ATTACKS.flatMap(wrapped);
