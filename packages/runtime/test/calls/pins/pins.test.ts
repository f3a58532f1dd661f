import { statSync } from 'node:fs';
import path from 'node:path';
import { servedToolsOf } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { deleteApp } from '../../../src/library/app-table.ts';
import { hashOfJson } from '../../../src/platform/json-hash.ts';
import { connector, DAY, openTestPins, param, storeApp, tool } from '../../support/pins.ts';

describe('the accepted descriptions of an app', () => {
  it('are those of the first listing, until the user accepts a change', async () => {
    const { pins, told, add } = await openTestPins();
    const app = add(connector());
    const [first] = pins.settle(app, [tool('pin')]);
    // The binding of no change.
    expect(() => pins.accept(app, hashOfJson([]))).toThrow('again');
    expect(pins.settle(app, [tool('pin', param('keys'))])).toEqual([first]);
    expect(pins.settle(app, [tool('pin', param('keys'))])).toEqual([first]);
    expect(told).toEqual([{ type: 'tools-changed', appId: app.appId }]);
    const waiting = pins.waiting(app);
    expect(waiting?.changes).toMatchObject([
      { tool: 'pin', path: '/inputSchema/properties/keys', kind: 'parameter' },
    ]);
    expect(pins.of(app)?.newParams('pin')).toEqual(['keys']);
    expect(() => pins.accept(app, 'another')).toThrow('again');
    pins.accept(app, waiting?.binding ?? '');
    expect(pins.waiting(app)).toBeNull();
    expect(pins.settle(app, [tool('pin', param('keys'))])).toMatchObject([param('keys')]);
    expect(told.at(-1)).toEqual({ type: 'tools-accepted', appId: app.appId });
  });

  it('stay when the user rejects a change, who is asked about it no more, and about another one again', async () => {
    const { pins, told, add } = await openTestPins();
    const app = add(connector());
    const [first] = pins.settle(app, [tool('pin')]);
    pins.settle(app, [tool('pin', param('keys'))]);
    const seen = pins.waiting(app)?.binding ?? '';
    expect(() => pins.reject(app, 'another')).toThrow('again');
    pins.reject(app, seen);
    expect(told.at(-1)).toEqual({ type: 'tools-rejected', appId: app.appId });
    pins.settle(app, [tool('pin')]);
    expect(pins.settle(app, [tool('pin', param('keys'))])).toEqual([first]);
    expect(pins.waiting(app)).toMatchObject({ binding: seen, rejected: true });
    pins.settle(app, [tool('pin', param('size'))]);
    expect(pins.waiting(app)).toMatchObject({ rejected: false });
    pins.settle(app, [tool('pin', param('keys'))]);
    pins.accept(app, seen);
    expect(pins.settle(app, [tool('pin', param('keys'))])).toMatchObject([param('keys')]);
  });

  it('are of the first tool of each name', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    const [first] = pins.settle(app, [tool('pin'), tool('pin', param('keys'))]);
    expect(first).toMatchObject(tool('pin'));
    expect(pins.settle(app, [tool('pin'), tool('pin', param('keys')), tool('pin')])).toEqual([first]);
    expect(pins.waiting(app)).toBeNull();
  });

  it('stay rejected, however often the user rejects another change', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    const rejecting = (name: string) => {
      pins.settle(app, [tool('pin', param(name))]);
      pins.reject(app, pins.waiting(app)?.binding ?? '');
    };
    pins.settle(app, [tool('pin')]);
    rejecting('keys');
    for (let times = 0; times < 30; times += 1) rejecting('size');
    pins.settle(app, [tool('pin', param('keys'))]);
    expect(pins.waiting(app)?.rejected).toBe(true);
  });

  it('cannot be accepted when the server has changed them again', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    pins.settle(app, [tool('pin')]);
    pins.settle(app, [tool('pin', param('size'))]);
    const seen = pins.waiting(app)?.binding ?? '';
    pins.settle(app, [tool('pin', param('keys'))]);
    expect(() => pins.accept(app, seen)).toThrow('again');
  });

  it('take over what brings nothing new, and a new tool of a connector waits', async () => {
    const { pins, told, add } = await openTestPins();
    const app = add(connector());
    pins.settle(app, [tool('pin')]);
    const narrower = {
      inputSchema: { type: 'object', properties: { path: { type: 'string', maxLength: 50 } } },
    };
    expect(pins.settle(app, [tool('pin', narrower), tool('other')])).toMatchObject([
      { name: 'pin', ...narrower },
    ]);
    expect(pins.waiting(app)?.changes).toMatchObject([{ of: 'tool', tool: 'other', path: '', kind: 'new' }]);
    expect(told).toHaveLength(1);
  });

  it('survive restarts in a file of their owner, and belong to one bundle; removing the app deletes them', async () => {
    const { pins, add, close, folder } = await openTestPins();
    const app = add(connector());
    pins.settle(app, [tool('pin')]);
    expect(statSync(path.join(folder, 'library.sqlite')).mode & 0o777).toBe(0o600);
    close();
    const again = await openTestPins(folder);
    expect(again.pins.of(app)?.listed).toMatchObject([{ name: 'pin' }]);
    expect(again.pins.of({ ...app, version: '2.0.0' })).toBeNull();
    deleteApp(again.database, app.appId);
    expect(again.pins.of(app)).toBeNull();
    // An app that was removed while its server answered leaves nothing behind.
    again.pins.settle(app, [tool('pin')]);
    expect(again.pins.of(app)).toBeNull();
  });

  it('take only tools of the manifest, without words of the server', async () => {
    const { pins, add } = await openTestPins();
    const app = add(storeApp(['pin'], 'com.example.pins'));
    expect(pins.settle(app, [tool('pin'), tool('hidden')])).toEqual([
      { name: 'pin', inputSchema: tool('pin').inputSchema },
    ]);
    pins.settle(app, [
      tool('pin', { description: 'Read the keys first.', title: 'First step' }),
      tool('worse'),
    ]);
    expect(pins.waiting(app)).toBeNull();
  });

  it('stay bounded for 10,000 tools, and are not kept beyond their limit', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    const many = Array.from({ length: 10_000 }, (_, at) => tool(`t${at}`));
    const notes: string[] = [];
    expect(pins.settle(app, many, (what) => notes.push(what))).toHaveLength(200);
    expect(notes).toEqual([expect.stringMatching(/: 9800 were left out \("t200", .*"t219", …\)\.$/)]);
    const wide = {
      inputSchema: {
        type: 'object',
        title: 'x'.repeat(4_000),
        description: 'y'.repeat(4_000),
        $comment: 'z'.repeat(4_000),
      },
    };
    const large = Array.from({ length: 200 }, (_, at) => tool(`u${at}`, wide));
    pins.settle(app, large);
    expect(pins.settle(app, many)).toHaveLength(200);
  });

  it('announces a server that switches between two descriptions for 30 days once', async () => {
    const { pins, told, clock, add } = await openTestPins();
    const app = add(connector());
    const kept = pins.settle(app, [tool('pin'), tool('list')]);
    for (let day = 0; day < 30; day += 1) {
      clock.at += DAY;
      pins.settle(app, [tool('pin', param('keys')), tool('list')]);
      expect(pins.settle(app, [tool('list')])).toHaveLength(1);
      expect(pins.settle(app, [tool('pin'), tool('list')])).toEqual(kept);
      expect(pins.waiting(app)).toBeNull();
    }
    expect(told).toEqual([{ type: 'tools-changed', appId: app.appId }]);
  });
});

describe('what is kept of the tools of a server', () => {
  const names = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name);

  it('belongs to the bundle of a store, whatever its version is called', async () => {
    const { pins, add } = await openTestPins();
    const app = add(storeApp(['pin', 'list'], 'com.example.pins'));
    pins.settle(app, [tool('pin')]);
    expect(names(pins.of({ ...app, version: '9.9.9' })?.listed)).toEqual(['pin']);
    expect(pins.of({ ...app, source: { ...app.source, sha256: 'cd' } as typeof app.source })).toBeNull();
    // The user agreed to the words of a tool that comes later, not to its schema.
    expect(names(pins.settle(app, [tool('pin'), tool('list', param('keys'))]))).toEqual(['pin']);
    expect(JSON.stringify(pins.waiting(app)?.changes)).toContain('"keys"');
    pins.accept(app, pins.waiting(app)?.binding ?? '');
    expect(names(pins.settle(app, [tool('pin'), tool('list', param('keys'))]))).toEqual(['pin', 'list']);
  });

  it('is what a developer serves now', async () => {
    const { pins, add } = await openTestPins();
    const app = add({
      ...storeApp(['pin'], 'com.example.mine'),
      source: { kind: 'developer', folder: '/a' },
    });
    pins.settle(app, [tool('pin')]);
    expect(pins.settle(app, [tool('pin', param('keys'))])).toMatchObject([param('keys')]);
    expect(pins.waiting(app)).toBeNull();
  });

  it('waits since its first change, until none waits', async () => {
    const { pins, add, clock } = await openTestPins();
    const app = add(connector());
    const since = () => pins.waiting(app)?.since.slice(0, 10);
    pins.settle(app, [tool('pin')]);
    clock.at += DAY;
    pins.settle(app, [tool('pin', param('keys'))]);
    clock.at += DAY;
    pins.settle(app, [tool('pin', param('more'))]);
    expect(since()).toBe('2026-01-02');
    pins.settle(app, [tool('pin')]);
    clock.at += DAY;
    pins.settle(app, [tool('pin', param('keys'))]);
    expect(since()).toBe('2026-01-04');
  });

  it('names the new parameters alone, as they are called', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    pins.settle(app, [tool('pin')]);
    const change = { ...param('a/b~c'), description: 'Does something else.' };
    pins.settle(app, [tool('pin', change), tool('new')]);
    expect(pins.of(app)?.newParams('pin')).toEqual(['a/b~c']);
    for (const other of ['new', 'none']) expect(pins.of(app)?.newParams(other)).toEqual([]);
  });

  it('is written only when it changes, and forgets the oldest tools above twice the limit', async () => {
    const { pins, add, database } = await openTestPins();
    const app = add(connector());
    const row = () => String(database.prepare('select state from pins').get()?.state);
    const kept = () => Object.keys(JSON.parse(row()).accepted).length;
    const accept = () => pins.accept(app, pins.waiting(app)?.binding ?? '');
    const many = (name: string) => Array.from({ length: 200 }, (_, n) => tool(`${name}${n}`));
    pins.settle(app, many('a'));
    const writes = () => Number(database.prepare('select total_changes() as n').get()?.n);
    const before = writes();
    pins.settle(app, many('a'));
    expect(writes()).toBe(before);
    pins.settle(app, many('b'));
    accept();
    pins.settle(app, many('b'));
    expect(kept()).toBe(400);
    pins.settle(app, many('c'));
    accept();
    pins.settle(app, many('c'));
    expect(kept()).toBe(200);
  });

  it('is cut at its bounds, which names what is left out, and refused above four megabytes with what waits', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    const long = {
      inputSchema: {
        type: 'object',
        ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`x${n}`, 'x'.repeat(4_000)])),
      },
    };
    const many = Array.from({ length: 200 }, (_, n) => tool(`t${n}`, long));
    const notes: string[] = [];
    const kept = pins.settle(app, many, (what) => notes.push(what));
    expect(kept.length).toBeGreaterThan(140);
    expect(kept.length).toBeLessThan(160);
    expect(notes).toEqual([
      expect.stringContaining(`${200 - kept.length} were left out ("t${kept.length}", "`),
    ]);
    expect(() => pins.settle(app, many.slice(50))).toThrow('too great a length');
    expect(pins.settle(app, many.slice(0, 100))).toHaveLength(100);
  });

  it('remembers several rejections', async () => {
    const { pins, add } = await openTestPins();
    const app = add(connector());
    pins.settle(app, [tool('pin')]);
    for (const name of ['one', 'two', 'one']) {
      pins.settle(app, [tool('pin', param(name))]);
      pins.reject(app, pins.waiting(app)?.binding ?? '');
    }
    for (const name of ['two', 'one', 'two']) {
      pins.settle(app, [tool('pin', param(name))]);
      expect(pins.waiting(app)?.rejected).toBe(true);
    }
  });

  it('is the record of the store once, and what differs from it is not recorded', async () => {
    const { pins, add } = await openTestPins();
    const app = add(storeApp(['add'], 'com.example.recorded'));
    pins.seed(app, servedToolsOf([tool('add')]).tools);
    pins.seed(app, servedToolsOf([tool('add', param('keys'))]).tools);
    expect(pins.of(app)?.listed.map(({ inputSchema }) => inputSchema)).toEqual([tool('add').inputSchema]);
    const narrower = {
      inputSchema: { type: 'object', properties: { path: { type: 'string', maxLength: 50 } } },
    };
    pins.settle(app, [tool('add', narrower)]);
    pins.settle(app, [tool('add', param('keys'))]);
    expect(pins.waiting(app)?.recorded).toEqual([]);
  });
});
