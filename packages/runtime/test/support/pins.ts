import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { openPins } from '../../src/calls/pins/pins.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { putApp } from '../../src/library/app-table.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { defaultSystem } from '../../src/platform/default-system.ts';
import { installed } from './app.ts';
import { tempFolder } from './temp-folder.ts';

export const DAY = 24 * 3_600_000;

/** A tool of a server. */
export const tool = (name: string, change: object = {}): ServerTool => ({
  ...{ name, description: `Does ${name}.` },
  inputSchema: { type: 'object', properties: { path: { type: 'string', maxLength: 100 } } },
  ...change,
});

/** A change of a tool: one more parameter. */
export const param = (name: string) => ({
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', maxLength: 100 }, [name]: { type: 'string' } },
  },
});

/** An app of a store with these tools in its manifest. */
export const storeApp = (tools: readonly string[], appId: string): InstalledApp => ({
  ...installed({ contributes: { tools: tools.map((id) => ({ id, name: id, description: `${id}s.` })) } }),
  ...{
    appId,
    source: {
      kind: 'store',
      store: 'https://s.example',
      sha256: 'ab',
      keyId: 'k',
      publishedAt: '2026-01-01',
    },
  },
});

/** A connector, whose manifest names no tools. */
export const connector = (name = 'one'): InstalledApp => ({
  ...installed({ name }),
  appId: `local.${name}`,
  source: { kind: 'connector', url: `https://${name}.example.com/mcp` },
});

/** The pins of a library, their events, and a clock that the test sets. */
export async function openTestPins(given?: string) {
  const folder = given ?? (await tempFolder());
  const storage = await openLibraryStorage(defaultSystem, folder);
  const told: RuntimeEvent[] = [];
  const events = createEvents(() => undefined);
  events.subscribe((event) => told.push(event));
  const clock = { at: Date.parse('2026-01-01') };
  const pins = openPins(storage, { system: { now: () => clock.at }, events });
  let isOpen = true;
  const close = () => {
    if (isOpen) storage.close();
    isOpen = false;
  };
  onTestFinished(close);
  const add = (app: InstalledApp): InstalledApp => {
    putApp(storage.database, app);
    return app;
  };
  return { pins, told, clock, close, add, folder, database: storage.database };
}
