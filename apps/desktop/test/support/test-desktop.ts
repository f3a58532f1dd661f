import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, onTestFinished } from 'vitest';
import { type DesktopOptions, openDesktop } from '../../src/open-desktop.ts';
import type { CallName, DesktopCalls } from '../../src/wire/calls.ts';
import type { DesktopEvent } from '../../src/wire/events.ts';
import { ask } from './ask.ts';
import { tempFolder } from './temp-folder.ts';

/** A port on which nothing listens. */
const NO_STORE = 'http://127.0.0.1:1';

/** Opens a desktop in its own folder, closed after the test. Its store is unreachable unless another is given. */
export async function openTestDesktop(options: Partial<DesktopOptions> = {}) {
  const folder = options.folder ?? (await tempFolder());
  const faults: unknown[] = [];
  const opened = await openDesktop({
    folder,
    system: defaultSystem,
    store: NO_STORE,
    port: 0,
    pageFolder: path.join(folder, 'no-page'),
    client: { name: 'svc desktop', version: '1.0.0', platform: 'linux', arch: 'x64' },
    keys: [{ kind: 'key-file', file: path.join(folder, 'vault.key') }],
    builtIn: [],
    openPage: async () => false,
    onFault: (error) => faults.push(error),
    ...options,
  });
  onTestFinished(async () => {
    await opened.close();
    expect(faults).toEqual([]);
  });
  const port = Number(new URL(opened.newLink()).port);
  return { opened, folder, port, faults };
}

/** The response to a call of a page: a result or a refusal. */
export type Outcome<Out> = { status: number; body: Out & { code?: string; message?: string } };

/** Signs a page in with a link. @returns its requests */
export async function openPage({ opened, port }: { opened: { newLink(): string }; port: number }) {
  const [, key = ''] = opened.newLink().split('#key=');
  const type = { 'content-type': 'application/json' };
  const trade = await ask(port, {
    method: 'POST',
    path: '/api/session.open',
    headers: type,
    body: JSON.stringify({ key }),
  });
  const { bearer } = trade.json() as { bearer: string };
  const auth = { authorization: `Bearer ${bearer}` };

  return {
    bearer,
    async call<Name extends CallName>(
      name: Name,
      input: DesktopCalls[Name]['in'],
    ): Promise<Outcome<DesktopCalls[Name]['out']>> {
      const answer = await ask(port, {
        method: 'POST',
        path: `/api/${name}`,
        headers: { ...auth, ...type },
        body: JSON.stringify(input),
      });
      return { status: answer.status, body: answer.json() as Outcome<DesktopCalls[Name]['out']>['body'] };
    },
    get: (place: string) => ask(port, { path: place, headers: auth }),
    upload: (name: string, body: Uint8Array, headers: Record<string, string> = {}) =>
      ask(port, {
        method: 'POST',
        path: `/uploads?name=${encodeURIComponent(name)}`,
        headers: { ...auth, ...headers },
        body,
      }),
    /**
     * Opens the event stream.
     * @param left closes it, as a page that is left
     * @returns the list to which received events are added
     */
    async listen(left?: AbortSignal, heard: DesktopEvent[] = []): Promise<DesktopEvent[]> {
      const stopped = new AbortController();
      left?.addEventListener('abort', () => stopped.abort());
      onTestFinished(() => stopped.abort());
      const answer = await fetch(`http://127.0.0.1:${port}/events`, {
        headers: auth,
        signal: stopped.signal,
      });
      expect(answer.status).toBe(200);
      const read = async () => {
        let text = '';
        for await (const chunk of answer.body ?? []) {
          const parts = (text + Buffer.from(chunk).toString()).split('\n\n');
          text = parts.pop() ?? '';
          for (const part of parts) if (part.startsWith('data: ')) heard.push(JSON.parse(part.slice(6)));
        }
      };
      void read().catch(() => undefined);
      return heard;
    },
  };
}
