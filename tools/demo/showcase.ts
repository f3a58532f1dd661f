import type { Manifest, NewPublisher } from '@svc/contracts';
import { iconOf, type Look, type Shown, screenshotsOf } from './pictures.ts';

/** The publishers of the example apps: seven with a verified website, three that are not verified. */
export const SHOWN_PUBLISHERS: readonly NewPublisher[] = (
  [
    ['harbour', 'Harbour Tools', 'harbour.example.com'],
    ['northlight', 'Northlight Studio', 'northlight.example.com'],
    ['ledgerline', 'Ledgerline', 'ledgerline.example.org'],
    ['polyglot', 'Polyglot Labs', 'labs.polyglot.example.net'],
    ['brightside', 'Brightside Education', 'brightside.example.com'],
    ['switchyard', 'Switchyard', 'switchyard.example.com'],
    ['observatory', 'The Observatory of the Lower Harbour District', 'observatory.lower-harbour.example.org'],
    ['meadow', 'Meadow & Sons', null],
    ['rye', 'Rye', null],
    ['kavala', 'Εργαστήριο Καβάλας', null],
  ] as const
).map(([slug, name, host]) => ({
  ...{ slug, name, verified: host !== null },
  ...(host !== null && { website: `https://${host}` }),
}));

type Category = NonNullable<Manifest['categories']>[number];

/** An example app: what its store page says, how it looks, and the lines that its screenshots show. Its server does not exist. */
export type ShownApp = {
  about: Pick<Manifest, 'id' | 'name' | 'publisher' | 'description' | 'categories' | 'permissions'>;
  tools: readonly (readonly [id: string, name: string, description: string])[];
  lines: readonly string[];
  look: Look;
  /** What it uses besides one host. */
  uses: readonly ('files' | 'account' | 'hosts')[];
};

const app = (
  [name, publisher, categories]: readonly [string, string, readonly Category[]],
  description: string,
  tools: ShownApp['tools'],
  lines: readonly string[],
  [accent, glyph, shows]: readonly [string, string, readonly Shown[]],
  uses: ShownApp['uses'] = [],
  id = `com.example.${name.split(' ')[0]?.toLowerCase()}`,
): ShownApp => ({
  about: {
    ...{ id, name, publisher, description, categories: [...categories] },
    permissions: [
      'Sends what you ask for to its server, and nothing else.',
      ...(uses.includes('files') ? ['Receives the files that you hand over (files:receive).'] : []),
      ...(uses.includes('account') ? [`Reads and changes your data at ${name}.`] : []),
    ],
  },
  ...{ tools, lines, uses, look: { accent, glyph, shows } },
});

/** Twenty apps as a store has them: short and long names, three alphabets, with and without screenshots. */
export const SHOWN_APPS: readonly ShownApp[] = [
  app(
    ['Tides', 'harbour', ['data']],
    'High and low water for the harbours you care about. It does not ask where you are.',
    [
      ['next_tide', 'Next tide', 'Returns the next high and low water of a harbour.'],
      ['list_harbours', 'List harbours', 'Lists the harbours with predictions.'],
    ],
    ['High water 06:42', 'Low water 12:57', 'Lower Harbour', 'Sandy Point', 'Spring tide on Friday'],
    [
      '#1d6fa5',
      '<path d="M2 8c3-3 5-3 7.3 0s5 3 7.3 0 4-3 5.4-2M2 14c3-3 5-3 7.3 0s5 3 7.3 0 4-3 5.4-2M2 20c3-3 5-3 7.3 0s5 3 7.3 0 4-3 5.4-2"/>',
      ['chart', 'list', 'phone'],
    ],
  ),
  app(
    ['Ledger', 'ledgerline', ['finance', 'productivity']],
    'Reads your invoices, and lists the unpaid ones. It drafts a reminder for each, which you send yourself.',
    [
      ['read_invoices', 'Read invoices', 'Reads invoices from files.'],
      ['list_unpaid', 'List unpaid invoices', 'Lists invoices that are not paid, oldest first.'],
      ['draft_reminder', 'Draft a reminder', 'Drafts a reminder for an invoice.'],
    ],
    [
      'Invoice 2041, 1,280.00',
      'Invoice 2038, 90.50',
      'Paid in October',
      'Reminder to Quay Ltd.',
      'Overdue: 3',
    ],
    ['#2f6f5e', '<path d="M5 3h14v18l-3-2-2 2-2-2-2 2-2-2-3 2zM9 8h6M9 12h6M9 16h3"/>', ['list', 'chart']],
    ['files', 'account'],
  ),
  app(
    ['Herbarium', 'meadow', ['education']],
    'Names the plant on a picture, and keeps where and when you found it.',
    [
      ['name_plant', 'Name a plant', 'Names the plant on a picture, with how certain that is.'],
      ['list_finds', 'List finds', 'Lists the plants that you found.'],
    ],
    ['Meadow clary', 'Common yarrow', 'Found 12 May', 'Cowslip', 'Dog rose'],
    ['#4b8b3b', '<path d="M5 20C4 10 10 4 20 4c0 10-5 16-13 15M5 21c2-6 5-9 9-11"/>', ['gallery', 'phone']],
    ['files'],
  ),
  app(
    ['Kanban for Small Teams and Large Plans', 'switchyard', ['productivity']],
    'A board with columns that your chat can read, fill and tidy. Each card keeps its history.',
    [
      ['list_cards', 'List cards', 'Lists the cards of a board.'],
      ['add_card', 'Add a card', 'Adds a card to a column.'],
      ['move_card', 'Move a card', 'Moves a card to another column.'],
    ],
    [
      'Order new tiles',
      'Write the release text',
      'Call the printer',
      'Plan the harbour walk',
      'Renew the domain',
    ],
    ['#6b4fbb', '<path d="M4 4h4v16H4zM10 4h4v10h-4zM16 4h4v13h-4z"/>', ['board', 'list', 'phone']],
    ['account'],
  ),
  app(
    ['Ink', 'northlight', ['design', 'media']],
    'Turns a sketch on paper into clean lines, as an SVG that you can edit.',
    [['trace', 'Trace a sketch', 'Returns the lines of a picture as an SVG file.']],
    ['Sketch 14', 'Lines only', 'Export as SVG', 'Harbour crane', 'Logo, third draft'],
    [
      '#c2410c',
      '<path d="M12 3l7 8-7 10-7-10zM12 3v9"/><circle cx="12" cy="13.5" r="1.5"/>',
      ['gallery', 'editor'],
    ],
    ['files'],
  ),
  app(
    ['Interpreter', 'polyglot', ['communication', 'education']],
    'Translates letters, menus and signs between forty languages, and says what a phrase implies.',
    [
      ['translate', 'Translate', 'Translates a text, or the text on a picture.'],
      ['explain', 'Explain a phrase', 'Says what a phrase means and when it is used.'],
    ],
    ['Good morning', 'Guten Morgen', 'Καλημέρα', 'Доброе утро', 'Bonjour'],
    [
      '#0f766e',
      '<path d="M3 6h10M8 3v3M11 6c-1 4-4 7-7 8M5 8c1 3 4 5 7 6M13 21l4-10 4 10M14.5 18h5"/>',
      ['editor', 'list'],
    ],
    ['files', 'hosts'],
  ),
  app(
    ['Darkroom', 'northlight', ['media', 'design']],
    'Straightens, crops and lights photographs. The originals stay as they are.',
    [
      ['adjust', 'Adjust a photograph', 'Straightens, crops and lights a photograph.'],
      ['contact_sheet', 'Draw a contact sheet', 'Returns several photographs on one sheet.'],
    ],
    ['Roll 31', 'Harbour at dusk', 'Crop 3:2', 'Contact sheet', 'Selected: 12'],
    [
      '#374151',
      '<path d="M3 8h4l2-3h6l2 3h4v12H3z"/><circle cx="12" cy="13.5" r="3.5"/>',
      ['gallery', 'editor', 'phone'],
    ],
    ['files'],
  ),
  app(
    ['Zugzwang', 'rye', ['games']],
    'Plays chess at your strength, and says after each game where it turned.',
    [
      ['move', 'Make a move', 'Makes a move, and returns the position.'],
      ['explain_game', 'Explain a game', 'Says where a game turned.'],
    ],
    ['1. e4 c5', '12. Nd5', 'Endgame: rook', 'Won in 41 moves', 'Opening: Sicilian'],
    ['#7c5c2e', '<path d="M7 21h10M8 18h8l-1-7 2-2-3-5-5 1-2 5 3 1z"/>', ['board']],
  ),
  app(
    ['Night Sky', 'observatory', ['education']],
    'Says what is above your horizon tonight, and when the space station passes.',
    [['tonight', 'What is up tonight', 'Lists what is visible from a place tonight.']],
    ['Saturn, 21:10', 'Moonrise 23:42', 'Perseids: 12 an hour', 'Cygnus', 'Station pass 22:05'],
    ['#312e81', '<path d="M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10zM17 3v4M15 5h4"/>', ['chart', 'phone']],
    [],
    'org.example.observatory.sky',
  ),
  app(
    ['Levain', 'rye', ['other']],
    'Keeps the diary of your sourdough: hydration, times and how each loaf turned out.',
    [['add_loaf', 'Add a loaf', 'Adds a loaf to the diary.']],
    ['Loaf 48, 74 %', 'Fold at 10:30', 'Starter fed', 'Crumb: open', 'Oven 245 °C'],
    ['#a16207', '<path d="M4 12c0-5 4-7 8-7s8 2 8 7-2 7-8 7-8-2-8-7zM9 9l-1 4M13 9l-1 4M17 10l-1 3"/>', []],
  ),
  app(
    ['Layover', 'harbour', ['other', 'productivity']],
    'Follows your trips: connections, gates and what to do when one is late.',
    [
      ['list_trips', 'List trips', 'Lists your trips.'],
      ['find_connection', 'Find a connection', 'Finds the next connection.'],
    ],
    ['Train 402, platform 7', '45 minutes to change', 'Gate B12', 'Lower Harbour', 'On time'],
    ['#0369a1', '<path d="M3 12l18-8-6 17-3-7z"/>', ['map', 'list', 'phone']],
    ['account'],
  ),
  app(
    ['Reps', 'meadow', ['other']],
    'Counts what you lift, and plans the next week from it.',
    [['add_set', 'Add a set', 'Adds a set to the diary.']],
    ['Squat 5 × 80', 'Row 4 × 10', 'Rest day', 'Week 14', 'Best: 110'],
    ['#be123c', '<path d="M3 9v6M6 7v10M18 7v10M21 9v6M6 12h12"/>', ['chart']],
  ),
  app(
    ['Swatch', 'northlight', ['design']],
    'Finds colours that can be read together, and names the contrast of each pair.',
    [['palette', 'Make a palette', 'Returns colours with their contrast.']],
    ['Deep green', 'Contrast 7.2', 'Warm white', 'For text: yes', 'Accent'],
    [
      '#db2777',
      '<circle cx="9" cy="9" r="5.5"/><circle cx="15" cy="9" r="5.5"/><circle cx="12" cy="15" r="5.5"/>',
      ['gallery'],
    ],
  ),
  app(
    ['Branchline', 'switchyard', ['developer']],
    'Reads your repositories: what changed, who knows this file, which branch is stale.',
    [
      ['what_changed', 'What changed', 'Lists what changed since a day.'],
      ['who_knows', 'Who knows a file', 'Lists who wrote a file.'],
    ],
    ['main, 4 commits ahead', 'fix/timeout is stale', 'parser.ts by Ada', 'Release 2.3', '12 open reviews'],
    [
      '#1f2937',
      '<path d="M7 3v18M7 14c7 0 10-2 10-7"/><circle cx="17" cy="5" r="2.5"/><circle cx="7" cy="21" r="1"/>',
      ['list', 'editor'],
    ],
    ['account', 'hosts'],
  ),
  app(
    ['Gauge', 'switchyard', ['data', 'developer']],
    'Asks your metrics in words, and draws the answer.',
    [['query', 'Query metrics', 'Answers a question about metrics with a chart.']],
    ['p95 210 ms', 'Errors 0.02 %', 'Requests 1.2 M', 'Since Monday', 'Deploy at 14:05'],
    [
      '#047857',
      '<path d="M4 18a9 9 0 1 1 16 0M12 14l4-5"/><circle cx="12" cy="14" r="1"/>',
      ['chart', 'list'],
    ],
    ['account'],
  ),
  app(
    ['Mailroom', 'ledgerline', ['communication']],
    'Sorts your letters into what needs an answer, what can wait and what can go.',
    [
      ['sort_mail', 'Sort mail', 'Sorts new mail.'],
      ['draft_answer', 'Draft an answer', 'Drafts an answer to a mail.'],
    ],
    ['Needs an answer: 4', 'From the printer', 'Invoice attached', 'Newsletter', 'Waiting since Friday'],
    ['#b45309', '<path d="M3 6h18v13H3zM3 7l9 7 9-7"/>', ['list', 'editor']],
    ['files', 'account'],
  ),
  app(
    ['Broadsheet', 'brightside', ['other', 'media']],
    'Reads the papers that you choose, and says in five sentences what happened.',
    [['today', 'What happened today', 'Returns five sentences with their sources.']],
    ['Five sentences', 'Harbour bridge opens', 'Sources: 4', 'Weather', 'Since yesterday'],
    [
      '#111827',
      '<path d="M4 4h13v16H6a2 2 0 0 1-2-2zM17 9h3v9a2 2 0 0 1-3 1.500M8 8h5M8 12h5M8 16h3"/>',
      ['editor'],
    ],
    ['hosts'],
  ),
  app(
    ['Marginalia', 'brightside', ['education', 'productivity']],
    'Keeps what you underline in books, and brings it back when you write about the same.',
    [
      ['add_quote', 'Add a quotation', 'Adds a quotation with its page.'],
      ['find_quotes', 'Find quotations', 'Finds quotations about a subject.'],
    ],
    ['On harbours, p. 41', 'Underlined twice', 'Cities, p. 12', 'Found in 3 books', 'Essay, draft 2'],
    [
      '#9d174d',
      '<path d="M12 6v14M12 6c-2-2-5-2-9-2v14c4 0 7 0 9 2 2-2 5-2 9-2V4c-4 0-7 0-9 2z"/>',
      ['editor', 'list'],
    ],
  ),
  app(
    ['Σημειώσεις', 'kavala', ['productivity']],
    'Σύντομες σημειώσεις που βρίσκονται ξανά. Short notes in Greek, found again in any spelling.',
    [['add_note', 'Add a note', 'Keeps a note.']],
    ['Αγορές', 'Λιμάνι, Παρασκευή', 'Σχέδιο', 'Τηλέφωνα', 'Ιδέες'],
    ['#1e40af', '<path d="M6 3h12v18H6zM9 8h6M9 12h6M9 16h4"/>', ['list']],
    [],
    'com.example.simeioseis',
  ),
  app(
    ['Погода у моря', 'kavala', ['data']],
    'Прогноз ветра и волн на неделю. The wind and the waves of a week, for small boats.',
    [['forecast', 'Forecast', 'Returns wind and waves for a place.']],
    ['Ветер 4 м/с', 'Волна 0.6 м', 'Пятница', 'Штиль', 'Гавань'],
    ['#0891b2', '<path d="M3 9h11a3 3 0 1 0-3-3M3 14h15a3 3 0 1 1-3 3M3 19h7"/>', ['chart', 'phone']],
    [],
    'com.example.pogoda',
  ),
];

const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** The manifest of an example app, without what all apps share. */
export function shownManifest({ about, tools, uses, look }: ShownApp): Partial<Manifest> {
  const host = `${about.publisher}.example.com`;
  const [hasFiles, hasAccount] = [uses.includes('files'), uses.includes('account')];
  return {
    ...about,
    grants: hasFiles ? ['files:receive'] : [],
    remote: {
      mcpUrl: `https://mcp.${host}/${about.id}`,
      domains: uses.includes('hosts') ? [`api.${host}`, `files.${host}`, `cdn.${host}`] : [],
    },
    branding: {
      icon: 'assets/icon.svg',
      mark: 'assets/mark.svg',
      accent: look.accent,
      screenshots: look.shows.map((_, n) => `assets/screenshot-${n + 1}.png`),
    },
    ...(hasAccount && {
      accounts: [{ id: 'main', label: about.name, auth: 'mcp' as const, scopes: ['read', 'write'] }],
    }),
    contributes: {
      tools: tools.map(([id, name, description], n) => ({
        ...{ id, name, description },
        ...(hasAccount && { account: 'main' }),
        ...(hasFiles && n === 0 && { files: { input: { multiple: true, maxBytes: MAX_FILE_BYTES } } }),
      })),
    },
  };
}

/** The files of an example app besides its manifest. */
export const shownFiles = async ({
  about: { name, description },
  tools,
  lines,
  look,
}: ShownApp): Promise<Record<string, Uint8Array | string | null>> => ({
  'assets/icon.png': null,
  'assets/icon.svg': iconOf(look),
  ...(await screenshotsOf(look, name, lines)),
  'README.md': `# ${name}\n\n${description}\n\n## What you can ask\n\n${tools.map((tool) => `- **${tool[1]}.** ${tool[2]}`).join('\n')}\n`,
});

/** The example apps of the featured row. */
export const SHOWN_FEATURED: string[] = [SHOWN_APPS[6], SHOWN_APPS[1], SHOWN_APPS[3], SHOWN_APPS[8]].flatMap(
  (app) => app?.about.id ?? [],
);
