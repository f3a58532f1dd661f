import type { Answer } from '../../cards/card.ts';
import type { CloseReason } from '../../panels/bridge/messages.ts';
import type { PanelConnection } from '../../panels/host/mount-panel.ts';
import type { PageCard, PageEvent, ShownPanel } from '../wire.ts';
import { readEvents } from './read-events.ts';

/** Maximum wait between two attempts to connect, in milliseconds. */
const MAX_WAIT_MS = 15_000;

export type ConnectPageOptions = {
  /** `key` of the page server. */
  key: string;
  /** `path` of the page server. Default: `/svc`. */
  path?: string;
  /** Shows a card, and resolves with the answer. The signal is aborted when no answer is needed any more. */
  ask(card: PageCard, signal: AbortSignal): Promise<Answer>;
  /** Called with false when the connection is lost (it is then retried), and with true when it is open. */
  connection?(isOpen: boolean): void;
};

/** How a panel is shown. */
export type PanelWish = {
  appId: string;
  panelId: string;
  project: string;
  theme: 'light' | 'dark';
  locale: string;
  view?: string;
};

/** A panel for `mountPanel`. */
export type PagePanel = ShownPanel & { connection: PanelConnection };

/** The client refused. */
export class PageError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'PageError';
    this.code = code;
  }
}

type Listener = Parameters<PanelConnection['listen']>[0];

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The panels of a page, by id, with the messages for a panel whose element is not mounted yet. */
function createPanelRegistry(request: (method: string, params: unknown) => Promise<unknown>) {
  const listeners = new Map<string, Listener>();
  const early = new Map<string, PageEvent[]>();

  function deliver(listener: Listener, event: PageEvent): void {
    if (event.type === 'panel-message') listener.message(event.text);
    if (event.type === 'panel-closed') listener.closed(event.reason);
  }
  function connectionOf(panel: string): PanelConnection {
    let last: Promise<unknown> = Promise.resolve();
    return {
      send(text) {
        // One message at a time, to keep their order. If one is lost, the panel is closed: it would otherwise wait forever for a response.
        last = last.then(() => request('svc.panels.send', { panel, text })).catch(() => end(panel, 'gone'));
      },
      listen(to) {
        listeners.set(panel, to);
        for (const event of early.get(panel) ?? []) deliver(to, event);
        early.delete(panel);
      },
      close(reason) {
        listeners.delete(panel);
        request('svc.panels.close', { panel, reason }).catch(() => {});
      },
    };
  }
  function end(panel: string, reason: CloseReason): void {
    const listener = listeners.get(panel);
    listeners.delete(panel);
    listener?.closed(reason);
  }
  return {
    connectionOf,
    receive(event: Extract<PageEvent, { panel: string }>): void {
      const listener = listeners.get(event.panel);
      if (listener) deliver(listener, event);
      else early.set(event.panel, [...(early.get(event.panel) ?? []), event]);
      if (event.type === 'panel-closed') listeners.delete(event.panel);
    },
    endAll(): void {
      for (const panel of [...listeners.keys()]) end(panel, 'gone');
      early.clear();
    },
  };
}

/** Shows cards as they arrive, each until it is answered here or elsewhere. */
function createCards(
  options: ConnectPageOptions,
  ask: (method: string, params: unknown) => Promise<unknown>,
) {
  const shown = new Map<string, AbortController>();
  const drop = (id: string): void => {
    shown.get(id)?.abort();
    shown.delete(id);
  };
  return {
    show(id: string, card: PageCard): void {
      if (shown.has(id)) return;
      const over = new AbortController();
      shown.set(id, over);
      // If the page cannot show a card, another page can answer it, or it expires.
      const answered = options.ask(card, over.signal).then((answer) => ask('svc.answer', { id, answer }));
      answered.catch(() => {});
    },
    drop,
    /** Removes all cards after the connection was lost; cards that are still waiting are sent again. */
    dropAll: () => [...shown.keys()].forEach(drop),
  };
}

/**
 * Connects a page to the page server of its client, and reconnects when the connection is lost, which closes the panels of the page.
 * Resolves when the page is connected for the first time.
 */
export async function connectPage(options: ConnectPageOptions) {
  const { path = '/svc', key } = options;
  const ended = new AbortController();
  const authorization = { Authorization: `Bearer ${key}` };
  let session = '';

  async function request(method: string, params?: unknown): Promise<unknown> {
    const body = JSON.stringify({ session, method, ...(params !== undefined && { params }) });
    const headers = { ...authorization, 'Content-Type': 'application/json' };
    const answer = await fetch(`${path}/calls`, { method: 'POST', headers, body, cache: 'no-store' });
    const result = (await answer.json()) as { code: string; message: string };
    if (!answer.ok) throw new PageError(result.code, result.message);
    return result;
  }
  const panels = createPanelRegistry(request);
  const cards = createCards(options, request);

  function receive(event: PageEvent): void {
    if (event.type === 'opened') {
      session = event.session;
      options.connection?.(true);
    } else if (event.type === 'card') cards.show(event.id, event.card);
    else if (event.type === 'card-gone') cards.drop(event.id);
    else panels.receive(event);
  }
  /** Reads one stream to its end. @returns whether to reconnect */
  async function follow(opened: () => void): Promise<boolean> {
    const { body, status } = await fetch(`${path}/events`, {
      headers: authorization,
      cache: 'no-store',
      signal: ended.signal,
    });
    if (status === 401)
      throw new PageError('unauthorized', 'The client does not know this page: open it again.');
    if (status !== 200 || !body) return true;
    for await (const event of readEvents(body)) {
      receive(event as PageEvent);
      opened();
    }
    return true;
  }
  const first = Promise.withResolvers<void>();
  async function run(): Promise<void> {
    let tries = 0;
    while (!ended.signal.aborted) {
      const opened = () => {
        tries = 0;
        first.resolve();
      };
      await follow(opened).catch((error: unknown) => {
        if (error instanceof PageError) ended.abort(error);
      });
      panels.endAll();
      cards.dropAll();
      options.connection?.(false);
      tries += 1;
      if (!ended.signal.aborted) await wait(Math.min(MAX_WAIT_MS, 250 * 2 ** tries), ended.signal);
    }
    first.reject(ended.signal.reason);
  }
  void run();
  await first.promise;
  return {
    /** Calls a method of the client. @throws PageError when it refuses, with the code of the `RuntimeError` */
    call: request,
    /** Opens a panel. @throws PageError */
    async openPanel(wish: PanelWish): Promise<PagePanel> {
      const shown = (await request('svc.panels.open', wish)) as ShownPanel;
      return { ...shown, connection: panels.connectionOf(shown.id) };
    },
    close: () => ended.abort(new PageError('closed', 'The page was closed.')),
  };
}

/** A page's connection to its client. */
export type PageConnection = Awaited<ReturnType<typeof connectPage>>;
