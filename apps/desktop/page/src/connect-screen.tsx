import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ErrorMessage } from './parts/parts.tsx';
import { Shell } from './shell/shell.tsx';
import { createDesk, RefusedError } from './wire/ask.ts';
import { createLive } from './wire/live.ts';
import { forgetBearer, keepBearer, keptBearer } from './wire/session.ts';
import { Connected } from './wire/use-desktop.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.connection;

/** What a person sees without a session, or with one that has ended. */
function Over() {
  return (
    <main className="entrance">
      <h1>{MESSAGES.ended}</h1>
      <p>{MESSAGES.endedHint}</p>
      <pre>
        <code>{MESSAGES.endedCommand}</code>
      </pre>
    </main>
  );
}

const createQueries = () =>
  new QueryClient({
    defaultOptions: {
      // The desktop is on this machine: that the network is away keeps nothing from being asked.
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });

/** The page for as long as one session counts. */
function Session({ bearer, over }: { bearer: string; over(): void }) {
  const connected = useMemo(() => {
    const desk = createDesk(bearer, over);
    return { desk, live: createLive(desk) };
  }, [bearer, over]);
  const [queries] = useState(createQueries);
  useEffect(() => {
    const gone = new AbortController();
    void connected.live.run(gone.signal);
    return () => gone.abort();
  }, [connected]);
  return (
    <QueryClientProvider client={queries}>
      <Connected value={connected}>
        <Shell />
      </Connected>
    </QueryClientProvider>
  );
}

/** Trades the key of a link, once, however often it is shown: a second try would be refused. */
function tradeOnce(link: string): Promise<string> {
  trades[link] ??= createDesk(null)
    .ask('session.open', { key: link })
    .then(({ bearer }) => bearer);
  return trades[link];
}
const trades: Record<string, Promise<string>> = {};

/**
 * Opens a session: with the key of a link, or with the bearer that this tab kept.
 * @param link the key that stood in the address
 */
export function ConnectScreen({ link }: { link: string | null }) {
  const [bearer, setBearer] = useState(() => (link === null ? keptBearer(sessionStorage) : null));
  const [fault, setFault] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const over = useCallback(() => {
    forgetBearer(sessionStorage);
    setBearer(null);
    setFault(new RefusedError('unauthorized', MESSAGES.ended));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is made of the same link
  useEffect(() => {
    if (link === null) return;
    tradeOnce(link).then(
      (made) => {
        keepBearer(sessionStorage, made);
        setBearer(made);
      },
      (error: Error) => {
        // A key that was never answered may be tried again.
        delete trades[link];
        setFault(error);
      },
    );
  }, [link, tries]);

  if (bearer !== null) return <Session bearer={bearer} over={over} />;
  if (fault instanceof RefusedError || link === null) return <Over />;
  if (!fault) return <p role="status">{MESSAGES.opening}</p>;
  return (
    <main className="entrance">
      <h1>{WORDS.title}</h1>
      <ErrorMessage error={fault} />
      <button
        type="button"
        onClick={() => {
          setFault(null);
          setTries((n) => n + 1);
        }}
      >
        {WORDS.again}
      </button>
    </main>
  );
}
