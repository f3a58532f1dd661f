import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { Caller, TokenCaller } from '../../../../src/core/domain/identity/caller.ts';
import {
  type Change,
  type ChangeStores,
  requireChange,
} from '../../../../src/core/domain/versions/changes.ts';

const SRC = resolve(import.meta.dirname, '../../../../src');

/** Rows that decide what is signed, listed, served or read of a version. Listings and the search index follow from them. */
const TABLES = ['versions', 'tool_records', 'apps'];
const WRITES = ['insertInto', 'updateTable', 'deleteFrom'];

/** Queries that write such rows without a `Mover`, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  'core/domain/versions/app-store.ts add': 'the first upload of an app, whose version has a mover',
  'core/domain/versions/app-store.ts setRules': 'makes the rules of publishing, and changes no version',
  'core/domain/versions/life-store.ts setOffer': 'nothing moves until an owner accepts',
  'core/domain/versions/life-store.ts removeApp': 'deletes everything of an app',
  'core/domain/versions/version-store.ts claim': 'a lease of a process',
  'core/domain/versions/life-store.ts removePublisher': 'deletes a publisher without apps',
  'core/people/leaving-store.ts forget': 'deletes what a user leaves, which is no version',
  'core/domain/versions/review-store.ts inReview': 'who reviews a version',
  'core/domain/versions/review-store.ts unlock': 'who reviews a version',
  'platform/database/visibility.ts endFirstApprovals': 'takes an approval away, which publishes nothing',
};

/** Those of an extension, which may be taken away. */
const OF_EXTENSIONS: Readonly<Record<string, string>> = {
  'extensions/upstreams/upstream-store.ts hold':
    'stops new installs of a carried app, and changes no version',
  'extensions/upstreams/upstream-store.ts holdAll': 'the same for all apps of a store',
};

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isArrowFunction(node) || ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);

/** The outermost named function around a node that is not the creator of a store. */
function queryAround(node: ts.Node): { name: string; hasMover: boolean } {
  let found = { name: '', hasMover: false };
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (!isFunction(at)) continue;
    const holder = ts.isArrowFunction(at) ? at.parent : at;
    const name = 'name' in holder && holder.name ? (holder.name as ts.Node).getText() : '';
    if (/^create\w+Store$/.test(name)) break;
    const hasMover = at.parameters.some((parameter) => parameter.type?.getText() === 'Mover');
    found = { name: name || found.name, hasMover: found.hasMover || hasMover };
  }
  return found;
}

/** The queries of a source that write a row of a version without a `Mover`. */
function unguarded(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [table] = node.arguments;
      const isWrite = WRITES.includes(node.expression.name.text) && table !== undefined;
      // A table that is not named here may be any.
      if (isWrite && (!ts.isStringLiteral(table) || TABLES.includes(table.text))) {
        const { name, hasMover } = queryAround(node);
        if (!hasMover) found.push(`${path} ${name}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const sources = globSync('**/*.ts', { cwd: SRC })
  .filter((path) => !path.startsWith('adapters/database/'))
  .map((path) => ({ path, text: readFileSync(resolve(SRC, path), 'utf8') }));

describe('the rows of a version', () => {
  it('are written by queries that need the rules of publishing, or that are named here with a reason', () => {
    const found = sources.flatMap(({ path, text }) =>
      WRITES.some((write) => text.includes(write)) ? unguarded(path, text) : [],
    );
    const own = found.filter((one) => !(one in OF_EXTENSIONS));
    expect([...new Set(own)].sort()).toEqual(Object.keys(OTHERS).sort());
  });

  it('are written by no statement as text but that of the visibility', () => {
    const statement = new RegExp(`(update|insert into|delete from) (${TABLES.join('|')})\\b`);
    const found = sources.filter(({ text }) => statement.test(text)).map(({ path }) => path);
    expect(found).toEqual(['platform/database/visibility.ts']);
  });

  it('get their mover from the rules, or from a job of the store', () => {
    const filesWith = (pattern: RegExp) =>
      sources
        .filter(({ text }) => pattern.test(text))
        .map(({ path }) => path)
        .sort();
    expect(filesWith(/as Mover\b|as unknown as Mover\b/)).toEqual(['core/domain/versions/changes.ts']);
    // An extension may be taken away.
    const optional = [
      'extensions/servers/probe-servers.ts',
      'extensions/upstreams/carry-version.ts',
      'extensions/upstreams/follow-list.ts',
    ];
    expect([...new Set([...filesWith(/\bjobMover\(/), ...optional])].sort()).toEqual([
      'composition/commands/rotate-keys.ts',
      'core/publishing/check-version.ts',
      'core/publishing/resume.ts',
      'core/publishing/submit-version.ts',
      'core/revocations/kept-list.ts',
      ...optional,
    ]);
  });

  it('would be found in a new side door', () => {
    const door = `export const createDoorStore = (db: Database) => ({
      open: (ref: Ref) => run(db.updateTable('versions').set({ state: 'published' })),
      through: (ref: Ref, _mover: Mover) => run(db.deleteFrom('tool_records')),
    });`;
    expect(unguarded('door.ts', door)).toEqual(['door.ts open']);
  });
});

const AT = '2026-01-01T00:00:00.000Z';
const FROM = { address: null, requestId: null };
const ABOUT = { publisher: 'example', appId: 'com.example.notes' };

const tokenOf = (more: Partial<TokenCaller>): Caller =>
  ({
    ...{ kind: 'token', name: 'publisher:example', from: FROM, tokenId: 't', person: null, appId: null },
    memberships: new Map([['example', 'member']]),
    scopes: ['publish:new', 'publish:update', 'yank'],
    source: null,
    ...more,
  }) as Caller;

const storesWith = ({ publisher = false, app = false, trustedOnly = false } = {}): ChangeStores => ({
  publishers: { find: async () => ({ suspended: publisher }) },
  apps: { find: async () => ({ suspended: app, ...(trustedOnly && { trustedOnly }) }) },
  people: { find: async () => null, membershipsOf: async () => new Map() },
});

describe('who may change a version', () => {
  const outcome = (stores: ChangeStores, change: Change, caller: Caller) =>
    requireChange(stores, change, caller, ABOUT, AT).then(
      ({ by }) => by,
      (error: { code: string }) => error.code,
    );

  it.each<[string, Change, Partial<TokenCaller>, Parameters<typeof storesWith>[0], string]>([
    ['a token of the publisher', 'publish', {}, {}, 'publisher:example'],
    ['a token of the publisher', 'recordTools', {}, {}, 'publisher:example'],
    ['a token of another publisher', 'recordTools', { memberships: new Map() }, {}, 'not_a_member'],
    ['a token for another app', 'recordTools', { appId: 'com.example.other' }, {}, 'forbidden'],
    ['a token without the scope', 'recordTools', { scopes: ['yank'] }, {}, 'forbidden'],
    ['a plain token where only workflows publish', 'publish', {}, { trustedOnly: true }, 'forbidden'],
    ['a plain token where only workflows publish', 'recordTools', {}, { trustedOnly: true }, 'forbidden'],
    [
      'a job of a workflow where only those publish',
      'recordTools',
      { source: { issuer: 'https://ci.example', claims: {} } as TokenCaller['source'] },
      { trustedOnly: true },
      'publisher:example',
    ],
    ['a token of a suspended publisher', 'recordTools', {}, { publisher: true }, 'publisher_suspended'],
    ['a token for a suspended app', 'publish', {}, { app: true }, 'app_suspended'],
    ['a token where only workflows publish', 'yank', {}, { trustedOnly: true }, 'publisher:example'],
    ['a token of the publisher', 'approve', {}, {}, 'forbidden'],
    ['a token of the publisher', 'acceptDrift', {}, {}, 'forbidden'],
    ['a token of the publisher', 'unyank', {}, {}, 'forbidden'],
    ['a token of the publisher', 'setAppState', {}, {}, 'forbidden'],
  ])('%s: %s', async (_who, change, token, stores, expected) => {
    expect(await outcome(storesWith(stores), change, tokenOf(token))).toBe(expected);
  });
});
