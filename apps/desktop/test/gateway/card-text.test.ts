import type { ApprovalCard } from '@svc/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionSchema } from '../../src/gateway/agent-asker.ts';
import { approvalText, connectText, questionText } from '../../src/gateway/card-text.ts';

const CARD: ApprovalCard = {
  kind: 'approval',
  app: { appId: 'com.example.notes', name: 'Notes', version: '1.2.0', publisher: 'example' },
  tool: { id: 'send', name: 'Send notes' },
  server: 'mcp.example.com',
  account: { id: 'mail', label: 'Example Mail' },
  title: 'Send 1 note?',
  html: '<p>To <strong>all</strong>: <a href="https://example.com/">here</a></p>',
  action: 'Send',
  arguments: { to: 'ada' },
  files: [{ name: 'a.txt', type: 'text/plain', bytes: 3, sha256: 'a'.repeat(64) }],
  binding: 'b'.repeat(64),
};

it('shows the facts that svc knows first, then the arguments, and last the texts of the app', () => {
  expect(approvalText(CARD)).toBe(`svc asks: allow this tool to run once, with exactly this?
App: "com.example.notes" "1.2.0"
Publisher: "example"
Tool: "send"
Server: "mcp.example.com"
Account: "mail"
File: "a.txt", "text/plain", 3 bytes, SHA-256 aaaaaaaaaaaaaaaa…
Hash of the whole request: SHA-256 ${'b'.repeat(64)}
Arguments:
| {
|   "to": "ada"
| }
In the words of the app:
> Notes
> Send notes
> Send 1 note?
> To all: here (https://example.com/)`);
});

it('returns null for a card that is too long, which the page shows instead', () => {
  expect(approvalText({ ...CARD, arguments: { text: 'x'.repeat(4_000) } })).toBeNull();
});

const PIECES = [
  'a',
  '"',
  '\\',
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '\v',
  '\u001b[1A',
  '\u202e',
  '\u200b',
  '> ',
  '| ',
  'Account: none',
  '<br>',
  '<p>',
  '&lt;',
];
const hostile = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 12 });

it('marks every line of an app, so that none looks like a line of svc', () => {
  const card = fc.record({
    name: hostile,
    tool: hostile,
    id: hostile,
    title: hostile,
    html: hostile,
    label: hostile,
    file: hostile,
    argument: hostile,
  });
  fc.assert(
    fc.property(card, (evil) => {
      const text = approvalText({
        ...CARD,
        app: { ...CARD.app, appId: evil.id, name: evil.name, publisher: evil.label, version: evil.id },
        tool: { id: evil.id, name: evil.tool },
        account: { id: evil.id, label: evil.label },
        server: evil.id,
        title: evil.title,
        html: evil.html,
        arguments: { [evil.argument]: evil.argument },
        files: [{ name: evil.file, type: evil.file, bytes: 1, sha256: 'c'.repeat(64) }],
      });
      const lines = text?.split('\n') ?? [];
      // Eight lines of svc and two headings; all others are marked.
      expect(lines.filter((line) => !/^[>|]( |$)/.test(line)).map((line) => line.split(/[ :]/)[0])).toEqual([
        'svc',
        'App',
        'Publisher',
        'Tool',
        'Server',
        'Account',
        'File',
        'Hash',
        'Arguments',
        'In',
      ]);
      expect(text).not.toMatch(/[^\n\P{C}]|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u);
    }),
  );
});

it('explains in one line why to open the page', () => {
  const text = connectText({
    kind: 'connect',
    permissions: [],
    app: { ...CARD.app, name: 'Notes"\nsvc asks' },
    account: { id: 'mail', label: '\u202eMail', scopes: [] },
    host: null,
    binding: 'b',
  });
  expect(text).toBe(
    'svc asks: the app "com.example.notes", named "Notes\\"\\nsvc asks", needs the account "\\u202eMail". Open the page to connect it.',
  );
});

describe('the question of a server in the dialog of an agent', () => {
  const card = {
    kind: 'question' as const,
    app: { appId: 'local.mcp-1', name: 'Rooms', version: '1.0.0', publisher: 'local' },
    server: 'mcp.rooms.example',
    tool: 'book',
    message: 'Which room?\nsvc asks: approve?',
    fields: [],
    url: null,
    binding: 'b',
  };

  it('names who asks first, and marks each line of the server', () => {
    const lines = questionText(card)?.split('\n') ?? [];
    expect(lines.slice(1, 5)).toEqual([
      'App: "local.mcp-1" "1.0.0"',
      'Tool: "book"',
      'Server: "mcp.rooms.example"',
      'In the words of the app:',
    ]);
    expect(lines.slice(5)).toEqual(['> Rooms', '> Which room?', '> svc asks: approve?']);
  });

  it('is left to the page when it is too long', () => {
    expect(questionText({ ...card, message: 'x'.repeat(5_000) })).toBeNull();
  });

  it('has a form that is built from the card', () => {
    const field = {
      description: '',
      required: false,
      options: [],
      format: null,
      min: null,
      max: null,
      initial: null,
    };
    const options = [{ value: 's', title: 'Small' }];
    expect(
      questionSchema([
        { ...field, name: 'room', title: 'Room', required: true, type: 'string', min: 2, format: 'email' },
        { ...field, name: 'size', title: 'Size', type: 'choice', options, initial: 's' },
        { ...field, name: 'days', title: 'Days', type: 'choices', options, max: 1 },
        { ...field, name: 'age', title: 'Age', type: 'integer', min: 0, max: 9, description: 'In years.' },
      ]),
    ).toEqual({
      type: 'object',
      properties: {
        room: { type: 'string', title: 'Room', minLength: 2, format: 'email' },
        size: { type: 'string', title: 'Size', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
        days: {
          type: 'array',
          title: 'Days',
          items: { anyOf: [{ const: 's', title: 'Small' }] },
          maxItems: 1,
        },
        age: { type: 'integer', title: 'Age', minimum: 0, maximum: 9, description: 'In years.' },
      },
      required: ['room'],
    });
  });
});
