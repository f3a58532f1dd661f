import type { DesktopClient } from './desktop-client.ts';

/** Pages of this origin alone share the channel. */
const CHANNEL = 'svc.windows';

/** How long a window waits for another one, in milliseconds: long enough for one in the background. */
const WAIT_MS = 1_500;

type Message = { ask: string } | { answer: string; key: string };

/** Gives other windows of this browser the key of a session of their own. @returns a function that stops */
export function shareSession(desktop: DesktopClient): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!('ask' in data)) return;
    desktop.request('session.share', {}).then(
      ({ key }) => channel.postMessage({ answer: data.ask, key } satisfies Message),
      // Another window may answer, or the new one says how to get a link.
      () => undefined,
    );
  };
  return () => channel.close();
}

/** Asks the other windows of this browser for the key of a session. @returns null if none has a session */
export function askForKey(): Promise<string | null> {
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
