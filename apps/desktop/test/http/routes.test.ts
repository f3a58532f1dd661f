import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPresence } from '../../src/http/routes.ts';
import type { Session } from '../../src/sessions/sessions.ts';

/** A presence tracker whose timeouts the test ends. */
function stage() {
  const waits: (() => void)[] = [];
  const left: string[] = [];
  const sleep = () => new Promise<void>((resolve) => waits.push(resolve));
  const presence = createPresence({ sleep }, ({ id }) => left.push(id));
  const stream = (session: Session) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { over: presence.during(session, () => promise), end: resolve };
  };
  const pass = async () => {
    for (const wait of waits.splice(0)) wait();
    await turn();
  };
  return { left, stream, pass };
}

const session: Session = { id: 's-1', ended: new AbortController().signal };

it('reports a session whose page stays closed, but not one whose page is reloaded', async () => {
  const { left, stream, pass } = stage();
  const first = stream(session);
  first.end();
  await first.over;
  const second = stream(session);
  await pass();
  expect(left).toEqual([]);
  second.end();
  await second.over;
  await pass();
  expect(left).toEqual(['s-1']);
});

it('treats a session as present while any of its streams is open', async () => {
  const { left, stream, pass } = stage();
  const [one, other] = [stream(session), stream(session)];
  one.end();
  await one.over;
  await pass();
  expect(left).toEqual([]);
  other.end();
  await other.over;
  await pass();
  expect(left).toEqual(['s-1']);
});
