import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AppTool, InstalledApp, RuntimeEvent, ToolsNow } from '@svc/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRememberedTools } from '../../src/tools/remembered-tools.ts';
import { tempFolder } from '../support/temp-folder.ts';

const tool = (changes: Partial<AppTool> = {}): AppTool => ({
  ...{ id: 'find', name: 'Find', description: 'Finds.', inputSchema: { type: 'object' } },
  ...{ files: {}, confirms: false, account: 'mcp' },
  ...changes,
});

const SCHEMA = { type: 'object', properties: { text: { type: 'string' } } };
const LISTED = tool({ inputSchema: SCHEMA });

const now = (source: object, tools: AppTool[], listed: boolean): ToolsNow => ({
  app: { appId: 'com.example.notes', version: '1.0.0', source } as unknown as InstalledApp,
  tools,
  listed,
  repairs: [],
});
const STORE = { kind: 'store', sha256: 'ab' };

async function open(folder?: string) {
  const heard: ((event: RuntimeEvent) => void)[] = [];
  const place = folder ?? (await tempFolder());
  const listen = (one: (event: RuntimeEvent) => void) => {
    heard.push(one);
    return () => {};
  };
  const tools = openRememberedTools({ events: { subscribe: listen } as never }, place);
  let isOpen = true;
  const close = () => isOpen && tools.close();
  onTestFinished(() => void close());
  return {
    ...{ tools, place },
    tell(event: object) {
      for (const one of heard) one(event as RuntimeEvent);
    },
    close() {
      close();
      isOpen = false;
    },
  };
}

describe('remembered tools', () => {
  it('have the schemas of the last listing after a restart, and the names of the manifest', async () => {
    const first = await open();
    expect(first.tools.view(now(STORE, [tool()], false))).toEqual([{ ...tool(), schema: 'unknown' }]);
    expect(first.tools.view(now(STORE, [LISTED], true))).toEqual([{ ...LISTED, schema: 'now' }]);
    first.close();
    const again = await open(first.place);
    const declared = [tool({ name: 'Search', confirms: true }), tool({ id: 'add' })];
    expect(again.tools.view(now(STORE, declared, false))).toEqual([
      { ...tool({ name: 'Search', confirms: true, inputSchema: SCHEMA }), schema: 'last' },
      { ...tool({ id: 'add' }), schema: 'unknown' },
    ]);
  });

  it('of a connector are those that its server listed', async () => {
    const { tools } = await open();
    const source = { kind: 'connector', url: 'https://mcp.example.com/mcp' };
    expect(tools.view(now(source, [], false))).toEqual([]);
    tools.view(now(source, [LISTED], true));
    expect(tools.view(now(source, [], false))).toEqual([{ ...LISTED, schema: 'last' }]);
  });

  it('are valid for one bundle only, and deleted with the app', async () => {
    const { tools, tell } = await open();
    tools.view(now(STORE, [LISTED], true));
    const other = { kind: 'store', sha256: 'cd' };
    expect(tools.view(now(other, [tool()], false))).toEqual([{ ...tool(), schema: 'unknown' }]);
    tell({ type: 'app-removed', appId: 'com.example.notes' });
    expect(tools.view(now(STORE, [tool()], false))).toEqual([{ ...tool(), schema: 'unknown' }]);
  });

  it('are ignored when their database is corrupt, and not saved when the listing is too large', async () => {
    const { tools, place } = await open();
    tools.view(now(STORE, [LISTED], true));
    const database = new DatabaseSync(join(place, 'tools.sqlite'));
    onTestFinished(() => database.close());
    for (const json of ['{', '[1]', '[{"id":"find"}]', 'null']) {
      database.prepare('update tools set json = ?').run(json);
      expect(tools.view(now(STORE, [tool()], false))).toEqual([{ ...tool(), schema: 'unknown' }]);
    }
    const huge = tool({ inputSchema: { type: 'object', title: 'x'.repeat(1024 * 1024) } });
    tools.view(now({ kind: 'store', sha256: 'ef' }, [huge], true));
    expect(database.prepare('select edition from tools').all()).toEqual([{ edition: 'ab' }]);
  });
});
