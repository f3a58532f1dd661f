import { webcrypto } from 'node:crypto';
import { eventually } from '@svc/testkit/eventually';
import { vi } from 'vitest';
import type {
  Answer,
  InstalledApp,
  OpenPanel,
  PanelFile,
  PanelTokens,
  RuntimeEvent,
} from '../../src/index.ts';
import { createEvents, createPanels, type PanelsDeps } from '../../src/parts.ts';
import { bundleOf, panelApp } from './panel-app.ts';

type Heard = {
  id?: unknown;
  result?: unknown;
  error?: { code: number; data?: { code: string } };
  method?: string;
};

/** Panels without a browser: the test sends their messages, and controls the time. */
export function testPanels(changes: Partial<PanelsDeps> = {}, tokens: PanelTokens = 'always') {
  const told: RuntimeEvent[] = [];
  const faults: unknown[] = [];
  const events = createEvents((fault) => faults.push(fault));
  events.subscribe((event) => told.push(event));
  const state = {
    time: 0,
    mayRun: true,
    answer: { accepted: true } as Answer,
    picked: [] as PanelFile[],
    token: 'token' as string | null,
  };
  const accounts = {
    list: vi.fn(async (_app: InstalledApp) => [
      { id: 'notes', label: 'Notes', connected: true, expiresAt: null },
    ]),
    underWay: () => null,
    signInDetails: async () => ({ host: 'auth.example.test', scopes: [] }),
    connect: vi.fn(async () => {}),
    token: vi.fn(async () => state.token),
  };
  const client = {
    name: 'client',
    version: '1.0.0',
    origin: 'http://127.0.0.1:1',
    // There is no browser that could show that it enforces the allowlist.
    tokens,
    ask: vi.fn(async () => state.answer),
    pickFiles: vi.fn(async () => state.picked),
    prepareMedia: vi.fn(async (file: PanelFile) => ({ ...file, name: `small-${file.name}` })),
  };
  const panels = createPanels({
    system: {
      now: () => state.time,
      randomBytes: (length) => webcrypto.getRandomValues(new Uint8Array(length)),
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    },
    events,
    accounts,
    client,
    bundleFiles: async () =>
      bundleOf({
        'ui/index.html': '<p>',
        'ui/a b.js': '1',
        'assets/icon.svg': '<svg/>',
        'plugin.json': '{}',
      }),
    mayRun: () => state.mayRun,
    originOf: (name) => `http://${name}.localhost:80`.replace(/:80$/, ''),
    onFault: (fault) => faults.push(fault),
    ...changes,
  });
  return { panels, events, told, faults, state, accounts, client };
}

/** Opens a panel, and sends messages like its page. */
export async function openFor(test: ReturnType<typeof testPanels>, app: InstalledApp = panelApp()) {
  const panel: OpenPanel = await test.panels.open(app, 'main', {
    theme: 'dark',
    locale: 'en',
    project: 'project-1',
  });
  const heard: Heard[] = [];
  const closed: string[] = [];
  panel.listen({ message: (text) => heard.push(JSON.parse(text)), closed: (reason) => closed.push(reason) });
  const say = (message: object) => panel.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  let lastId = 0;
  return {
    panel,
    heard,
    closed,
    say,
    /** Sends a request, and resolves with its answer. */
    async ask(method: string, params: object = {}) {
      lastId += 1;
      const id = `ask-${lastId}`;
      say({ id, method, params });
      return eventually(() => {
        const found = heard.find((message) => message.id === id);
        if (!found) throw new Error(`No answer to ${method}.`);
        return found;
      });
    },
  };
}
