import { setImmediate } from 'node:timers/promises';
import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { BuiltInApp } from '../../src/built-in/built-in-app.ts';
import { type CallContext, callContext } from '../../src/calls/authorised-fetch.ts';
import { createSessions, type Session } from '../../src/calls/sessions.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { panelApp } from '../support/panel-app.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const IDLE_MS = 5 * 60_000;
const app: InstalledApp = { ...panelApp({}), source: { kind: 'built-in' } };
const other: InstalledApp = { ...app, appId: 'com.example.other' };
const { signal } = new AbortController();

/** The sessions of built-in apps, which need no server, on a clock that the test moves. */
function sessionsOf() {
  const system = stoppedClock();
  const waits: number[] = [];
  const choices = { questions: true };
  const builtIn = { tools: [], call: async () => ({ content: [] }) };
  const sessions = createSessions({
    system: {
      ...system,
      sleep(ms, ends) {
        waits.push(ms);
        return system.sleep(ms, ends);
      },
    },
    builtIn: new Map([app, other].map(({ appId }) => [appId, builtIn as unknown as BuiltInApp])),
    client: { name: 'test', version: '1' },
    tokens: {} as never,
    maxMs: 1_000,
    choicesOf: () => ({ ...choices }),
  });
  const closed: Session[] = [];
  const seen = new Set<Session>();
  /** Records when a session is closed: its connection, and then its requests. */
  const watched = (session: Session): Session => {
    if (seen.has(session)) return session;
    seen.add(session);
    const { close } = session.fetch;
    session.fetch.close = () => {
      closed.push(session);
      return close();
    };
    return session;
  };
  const use = (of = app, account: string | null = null) =>
    sessions.use(of, account, signal, async (session) => watched(session));
  /** A call that runs until the test ends it. */
  async function running(of = app, account: string | null = null) {
    const begun = Promise.withResolvers<Session>();
    const ends = Promise.withResolvers<void>();
    const call = sessions.use(of, account, signal, async (session) => {
      begun.resolve(watched(session));
      await ends.promise;
    });
    const session = await begun.promise;
    const end = async (error?: Error) => {
      if (error) ends.reject(error);
      else ends.resolve();
      await call.catch(() => undefined);
      await setImmediate();
    };
    return { session, end };
  }
  return { sessions, use, running, closed, choices, waits, pass: system.pass };
}

describe('a session', () => {
  it('is shared by the calls of an app, version, account and choice', async () => {
    const { use, running, choices, closed } = sessionsOf();
    const [first, second] = await Promise.all([use(), use()]);
    const { session, end } = await running();
    expect([second, session, await use()]).toEqual([first, first, first]);
    expect(session === first && second === first).toBe(true);
    const others = [await use(other), await use(app, 'acme'), await use({ ...app, version: '9.9.9' })];
    choices.questions = false;
    others.push(await use());
    expect(new Set([first, ...others]).size).toBe(5);
    await end();
    expect(closed).toEqual([]);
  });

  it('is closed once, five minutes after its last call, and not during one', async () => {
    const { use, running, pass, closed, waits } = sessionsOf();
    const session = await use();
    await pass(IDLE_MS - 1);
    expect((await use()) === session).toBe(true);
    await pass(1);
    await pass(IDLE_MS - 2);
    expect(closed).toEqual([]);
    await pass(1);
    expect(closed).toEqual([session]);
    const { session: next, end } = await running();
    await pass(IDLE_MS);
    await pass(IDLE_MS);
    expect(closed).toEqual([session]);
    await end();
    await pass(IDLE_MS);
    await pass(IDLE_MS);
    expect(closed).toEqual([session, next]);
    // A timer of no time would use the processor during each long call.
    expect(Math.min(...waits)).toBeGreaterThan(0);
  });

  it.each([
    [new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'gone', { status: 404 } as never), true],
    [new Error('no'), false],
  ])('that is lost (%s) is used by no other call: %s', async (error, isLost) => {
    const { use, running, closed } = sessionsOf();
    const one = await running();
    const two = await running();
    await one.end(error);
    expect(closed).toEqual([]);
    expect((await use()) === one.session).toBe(!isLost);
    await two.end();
    expect(closed).toEqual(isLost ? [one.session] : []);
  });

  it('that was closed during a call is closed once, also when the call then finds it lost', async () => {
    const { sessions, running, closed } = sessionsOf();
    const { session, end } = await running();
    await sessions.close(app.appId);
    await end(new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'gone', { status: 404 } as never));
    expect(closed).toEqual([session]);
  });

  it('of an account that is retired ends after its last call', async () => {
    const { sessions, use, running, closed } = sessionsOf();
    const call = await running(app, 'acme');
    const [idle, without, elsewhere] = [await use(app, 'acme'), await use(), await use(other, 'acme')];
    expect(idle === call.session).toBe(true);
    sessions.retire(app.appId, 'acme');
    const next = await use(app, 'acme');
    expect(next === idle).toBe(false);
    expect(closed).toEqual([]);
    await call.end();
    expect(closed).toEqual([idle]);
    expect((await use(app, 'acme')) === next).toBe(true);
    expect((await use()) === without && (await use(other, 'acme')) === elsewhere).toBe(true);
    sessions.retire(app.appId, 'acme');
    await setImmediate();
    expect(closed).toEqual([idle, next]);
  });

  it('that was being opened when its account was retired serves its own call alone', async () => {
    const { sessions, use, running, closed } = sessionsOf();
    const opening = running(app, 'acme');
    sessions.retire(app.appId, 'acme');
    const { session, end } = await opening;
    expect((await use(app, 'acme')) === session).toBe(false);
    expect(closed).toEqual([]);
    await end();
    expect(closed).toEqual([session]);
  });

  it('is closed with its app, its account, or all', async () => {
    const { sessions, use, closed, pass } = sessionsOf();
    const open = async () => [await use(), await use(app, 'acme'), await use(other, 'acme')];
    const [own, account, others] = await open();
    await sessions.close(app.appId, 'acme');
    expect(closed.splice(0)).toEqual([account]);
    await sessions.close(app.appId);
    expect(closed.splice(0)).toEqual([own]);
    expect((await use(other, 'acme')) === others).toBe(true);
    await use();
    await sessions.stop();
    expect(closed).toHaveLength(2);
    // Nothing waits for them any more.
    await pass(IDLE_MS);
    expect(closed).toHaveLength(2);
    expect(sessions.secretsOf(app.appId)).toBe(sessions.secretsOf(app.appId));
  });

  it('outlives the call that opens it', async () => {
    const { sessions } = sessionsOf();
    const own: CallContext = {
      ...{ tool: 'plain', project: null, chat: null, refresh: { isUsed: false } },
      ...{ signal, limit: null },
    };
    const inSession = await callContext.run(own, () =>
      sessions.use(app, null, signal, async () => callContext.getStore()),
    );
    expect(inSession).toBe(own);
  });
});
