import { visible } from '@svc/text';
import { Button, CopyButton, ErrorMessage } from '@svc/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Shell } from './shell/shell.tsx';
import { createDesktopClient, type DesktopClient, RefusedError } from './wire/desktop-client.ts';
import { createLive } from './wire/live.ts';
import { deleteBearer, storeBearer, storedBearer, storedCommand } from './wire/session.ts';
import { Connected, isStoreAway } from './wire/use-desktop.ts';

/** Pages of this origin alone share the channel. */
const CHANNEL = 'svc.windows';

/** How long a window waits for another one, in milliseconds: long enough for one in the background. */
const WAIT_MS = 1_500;

type Message = { ask: string } | { answer: string; key: string } | { opened: true };

/** Tells other windows of this browser that there is a session, and gives them the key of one of their own. @returns a function that stops */
function shareSession(desktop: DesktopClient): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!('ask' in data)) return;
    desktop.request('session.share', {}).then(
      ({ key }) => channel.postMessage({ answer: data.ask, key } satisfies Message),
      // Another window may answer, or the new one says how to get a link.
      () => undefined,
    );
  };
  channel.postMessage({ opened: true } satisfies Message);
  return () => channel.close();
}

/** Asks the other windows of this browser for the key of a session. @returns null if none has a session */
function askForKey(): Promise<string | null> {
  const channel = new BroadcastChannel(CHANNEL);
  const ask = crypto.randomUUID();
  const { promise, resolve } = Promise.withResolvers<string | null>();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('answer' in data && data.answer === ask) resolve(data.key);
  };
  channel.postMessage({ ask } satisfies Message);
  const timer = setTimeout(() => resolve(null), WAIT_MS);
  return promise.finally(() => {
    clearTimeout(timer);
    channel.close();
  });
}

/** Shown without a session, or after it has ended, until another window of this browser has one. */
function SessionEnded({ title, retry }: { title: string; retry(): void }) {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<Message>) => 'opened' in data && retry();
    return () => channel.close();
  }, [retry]);
  return (
    <main className="entrance">
      <h1>{title}</h1>
      <p>
        Each link opens one page, within five minutes, and its session ends when svc desktop quits. To get a
        new link, run this in a terminal; a desktop that runs goes on:
      </p>
      <pre>
        <code>{visible(storedCommand())}</code>
      </pre>
      <CopyButton text={storedCommand()} label="Copy the command" />
    </main>
  );
}

/** How often a page asks again while the store cannot be reached, in milliseconds. */
const AGAIN_MS = 15_000;

const createQueries = () =>
  new QueryClient({
    defaultOptions: {
      // The desktop runs on this computer, so requests are sent even when the browser is offline.
      queries: {
        retry: false,
        refetchInterval: ({ state: { error } }) => isStoreAway(error) && AGAIN_MS,
        staleTime: 5_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });

/** The page during one session. */
function Session({ bearer, onEnded }: { bearer: string; onEnded(): void }) {
  const connected = useMemo(() => {
    const desktop = createDesktopClient(bearer, onEnded);
    return { desktop, live: createLive(desktop) };
  }, [bearer, onEnded]);
  const [queries] = useState(createQueries);
  useEffect(() => {
    const unmounted = new AbortController();
    void connected.live.run(unmounted.signal);
    const stopSharing = shareSession(connected.desktop);
    return () => {
      stopSharing();
      unmounted.abort();
    };
  }, [connected]);
  return (
    <QueryClientProvider client={queries}>
      <Connected value={connected}>
        <Shell />
      </Connected>
    </QueryClientProvider>
  );
}

const open = (key: string): Promise<string> =>
  createDesktopClient(null)
    .request('session.open', { key })
    .then(({ bearer }) => bearer);

const ENDED = 'This session has ended';

/** Opens a session with the key of a link. A window without one, or with a used one, asks the other windows of this browser. */
async function enter(link: string | null): Promise<string> {
  try {
    if (link !== null) return await open(link);
  } catch (error) {
    // The exchange may not have reached the desktop, so the key can be tried again.
    if (!(error instanceof RefusedError)) throw error;
  }
  const key = await askForKey();
  if (key === null)
    throw new RefusedError('unauthorized', link === null ? ENDED : 'This link was used, or is too old');
  return open(key);
}

/** Once per link: React may run the effect twice, and a second exchange is refused. */
function enterOnce(link: string | null): Promise<string> {
  const id = link ?? '';
  entrances[id] ??= enter(link);
  return entrances[id];
}
const entrances: Record<string, Promise<string>> = {};

/**
 * Opens a session with the key of a link, with the bearer stored in this tab, or with the help of another window.
 * @param link the key from the address bar
 */
export function ConnectScreen({ link }: { link: string | null }) {
  const [bearer, setBearer] = useState(() => (link === null ? storedBearer(sessionStorage) : null));
  const [error, setError] = useState<Error | null>(null);
  const [attempts, setAttempts] = useState(0);
  const endSession = useCallback(() => {
    deleteBearer(sessionStorage);
    delete entrances[link ?? ''];
    setBearer(null);
    setError(new RefusedError('unauthorized', ENDED));
  }, [link]);
  const retry = useCallback(() => {
    setError(null);
    setAttempts((n) => n + 1);
  }, []);
  const isEntering = bearer === null && error === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry uses the same link
  useEffect(() => {
    if (!isEntering) return;
    enterOnce(link).then(
      (opened) => {
        storeBearer(sessionStorage, opened);
        setBearer(opened);
      },
      (cause: Error) => {
        delete entrances[link ?? ''];
        setError(cause);
      },
    );
  }, [link, attempts, isEntering]);

  if (bearer !== null) return <Session bearer={bearer} onEnded={endSession} />;
  if (error instanceof RefusedError) return <SessionEnded title={error.message} retry={retry} />;
  if (!error) return <p role="status">Opening…</p>;
  return (
    <main className="entrance">
      <h1>svc desktop</h1>
      <ErrorMessage error={error} />
      <Button label="Retry" onClick={retry} />
    </main>
  );
}
